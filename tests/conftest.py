"""What every test shares: property tests that try the same examples in every run.

A red run can then be repeated anywhere. To look for new examples: `pytest --hypothesis-profile=search`.
"""

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None)  # a busy machine is no fault
settings.register_profile("search", derandomize=False, deadline=None)
settings.load_profile("repeatable")
