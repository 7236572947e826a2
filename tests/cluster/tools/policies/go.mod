module encbench.io/tests/cluster/tools/policies

go 1.26.0

require (
	github.com/florianl/go-nfqueue/v2 v2.1.0
	k8s.io/client-go v0.36.3
	sigs.k8s.io/kube-network-policies v1.1.1
)
