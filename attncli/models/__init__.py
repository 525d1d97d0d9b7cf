"""Saved models, and tensors of implementations: a wing, of which the core knows nothing.

checkpoints    a saved model as a scenario
dumps          tensors of an implementation against a scenario's, and the bugs that explain them
live           modules of PyTorch that run
reading        saved models for commands of the core
commands       `attn diff`; `diff_page` its report
pytest_plugin  the fixture of pytest, `assert_follows`
"""
