"""`make bench-scale`: how many trials one API server and one operator carry.

The API server, etcd, the scheduler, the controllers, the object store and the operator are real
processes of this machine. KWOK plays nodes and kubelets, so no container runs. What a kubelet would
run is played by the stand-ins: recorders and agents that speak TLS at the pods' addresses, and a
Prometheus.

The ceiling comes first: the objects of one trial, with the same content and in as many writes, but
without the operator. No operator can be faster on the same machine. 48 of them are under way at
once, so the rate is counted from the 48th end until 48 are left. Loads take no time and a run lasts
three seconds, so the operator's rate is that of its own work and the API server's; nodes send no
heartbeats. A figure that is not as it must be is marked `MISSED`, and the exit code is 1. On two
processors neither goal of the rate can be had, because the API server and the operator alone take
0.42 s of CPU for a trial, which allows 4.8 a second.
"""
