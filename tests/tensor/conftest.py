"""Every function of the tensor room checks the types, dtypes and axes of what it takes and gives while it is tested.

Modules that another test imported before are imported anew, so that the tests here meet the checked functions.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pkgutil import iter_modules

from jaxtyping import install_import_hook

from tests.tensor import checking

ROOM = "semifactual.tensor"

imported_before = [name for name in sys.modules if name.startswith(f"{ROOM}.")]
for name in imported_before:
    del sys.modules[name]
with install_import_hook(ROOM, f"{checking.__name__}.checked"):
    for module in iter_modules(import_module(ROOM).__path__, f"{ROOM}."):
        import_module(module.name)
