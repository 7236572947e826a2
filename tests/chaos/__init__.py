"""Faults at random moments of real campaigns, and an oracle after each campaign.

``python -m tests.chaos`` (``make chaos``) runs campaigns one after the other on a cluster of our
own, breaks what they stand on (:mod:`.faults`) at moments drawn from a seed (:mod:`.schedule`), and
judges what is left of each by facts that do not come from the operator's code (:mod:`.oracle`).

Three rules keep the machine safe:

* a fault touches only processes in the test cluster's control group, found there by the id of their
  container or by their program, and signalled through a handle that pins them;
* what a fault changes can be seen from outside: stopped processes, rules with a comment of ours,
  files with a name of ours. So the next start finds what a killed run has left, without a record;
* a full disk is one of our own: volumes lie in file systems of fixed size (:mod:`.disks`).
"""
