"""The parts of the truth campaign: from a seed to a judgement.

Read in this order: actions and world (the vocabulary), mutations (what can happen to a host), scenario (a seed's
host and steps), namespaces (the kernel), packets and requests (the truth), agent and liar (the claims), judge
(their comparison), stage (one scenario), campaign, shrink, report, selftest.
"""
