"""The training loop: recipe -> rollout -> reward -> probe -> credit -> loss -> checkpoint."""
