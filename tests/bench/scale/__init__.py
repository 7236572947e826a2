"""`make bench-scale`: how many trials one API server and one operator carry.

The API server, etcd, the scheduler, the controllers, the object store and the operator are real
processes of this machine. KWOK plays nodes and kubelets, so no container runs. What a kubelet would
run is played by the stand-ins: recorders and agents that speak TLS at the pods' addresses, and a
Prometheus.
"""
