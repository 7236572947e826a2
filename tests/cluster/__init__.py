"""A real Kubernetes on one bare machine, for tests and for the demo.

``python3 -m tests.cluster up`` goes from nothing to a Ready node: etcd, the API server and the
other Kubernetes daemons run as plain processes, pods run under containerd and runc. There is no
Docker and no registry involved: Go parts are compiled from their modules, the rest comes from
Debian packages, and images are built here. Only the standard library is used, so that no virtual
environment has to exist before the cluster does.

Three rules keep it honest about the machine it borrows:

* every process is started inside a cgroup of ours, so what is ours to end is what the kernel lists
  there, whatever became of the process that started it (:mod:`.cgroups`, :mod:`.processes`);
* everything that lasts lives under one state directory (:mod:`.layout`), and what must lie
  elsewhere is compared with a record of the machine as it was before (:mod:`.snapshot`);
* what is expensive lives in a cache outside the checkout, is named by a hash of what it was made
  from, and appears there by a rename (:mod:`.cache`), so a killed run leaves nothing half-made that
  a later run would trust.
"""
