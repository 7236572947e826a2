// Policyd holds a node's pods to the NetworkPolicies of its cluster.
//
// Rules of the packet filter (tests/cluster/firewall.py) put the first packet of each connection into
// a queue. Here it is judged by the engine of Kubernetes' SIG Network, from which nothing but the way
// to the packets is taken over: theirs writes rules for the queue of nftables, which not every kernel
// has.
//
// An address that the API server does not know yet is no pod's to the engine. So a new pod may be
// refused for a moment what a policy allows it, as with network plugins.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os/signal"
	"syscall"

	"github.com/florianl/go-nfqueue/v2"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/kube-network-policies/pkg/api"
	"sigs.k8s.io/kube-network-policies/pkg/network"
	"sigs.k8s.io/kube-network-policies/pkg/networkpolicy"
	"sigs.k8s.io/kube-network-policies/pkg/podinfo"
)

// headers is how much of a packet there is to see: IP and TCP, both with all options.
const headers = 128

func main() {
	kubeconfig := flag.String("kubeconfig", "", "how to reach the API server")
	node := flag.String("node", "", "the name of this node")
	queue := flag.Uint("queue", 0, "the number of the queue")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	engine, err := follow(ctx, *kubeconfig, *node)
	if err == nil {
		err = judge(ctx, engine, uint16(*queue))
	}
	if err != nil {
		log.Fatal(err)
	}
}

// follow returns an engine that knows all pods, namespaces and policies, and learns of changes.
func follow(ctx context.Context, kubeconfig, node string) (*networkpolicy.PolicyEngine, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactory(clients, 0)
	pods, namespaces := factory.Core().V1().Pods(), factory.Core().V1().Namespaces()
	policies := factory.Networking().V1().NetworkPolicies()
	addresses, err := podinfo.NewInformerResolver(pods.Informer())
	if err != nil {
		return nil, err
	}
	known := podinfo.NewInformerProvider(pods, namespaces, nil, []podinfo.IPResolver{addresses})
	standard := networkpolicy.NewStandardNetworkPolicy(node, namespaces, pods, policies)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return networkpolicy.NewPolicyEngine(known, []api.PolicyEvaluator{standard}), ctx.Err()
}

// judge takes packets from the queue until the process is told to end. It is the queue's only
// reader, so that who sees the queue taken knows that the policies hold.
func judge(ctx context.Context, engine *networkpolicy.PolicyEngine, number uint16) error {
	queue, err := nfqueue.Open(&nfqueue.Config{
		NfQueue:      number,
		MaxPacketLen: headers,
		MaxQueueLen:  1024,
		Copymode:     nfqueue.NfQnlCopyPacket,
		Flags:        nfqueue.NfQaCfgFlagGSO,
	})
	if err != nil {
		return fmt.Errorf("queue %d: %w", number, err)
	}
	defer queue.Close()
	verdict := func(attribute nfqueue.Attribute) int {
		decision := nfqueue.NfDrop
		if allowed(ctx, engine, attribute) {
			decision = nfqueue.NfAccept
		}
		if err := queue.SetVerdict(*attribute.PacketID, decision); err != nil {
			log.Printf("packet %d: %v", *attribute.PacketID, err)
		}
		return 0
	}
	failed := func(err error) int {
		var passing interface{ Temporary() bool }
		if !errors.As(err, &passing) || !passing.Temporary() {
			log.Printf("queue %d: %v", number, err)
		}
		return 0
	}
	if err := queue.RegisterWithErrorFunc(ctx, verdict, failed); err != nil {
		return fmt.Errorf("queue %d: %w", number, err)
	}
	<-ctx.Done()
	return nil
}

// allowed judges one packet; one that cannot be understood is not.
func allowed(ctx context.Context, engine *networkpolicy.PolicyEngine, a nfqueue.Attribute) bool {
	if a.Payload == nil {
		return false
	}
	packet, err := network.ParsePacket(*a.Payload)
	if err != nil {
		log.Printf("packet %d: %v", *a.PacketID, err)
		return false
	}
	pass, err := engine.EvaluatePacket(ctx, &packet)
	if err != nil {
		log.Printf("%s:%d to %s:%d: %v", packet.SrcIP, packet.SrcPort, packet.DstIP, packet.DstPort, err)
		return false
	}
	if !pass {
		log.Printf("refused: %s to %s:%d", packet.SrcIP, packet.DstIP, packet.DstPort)
	}
	return pass
}
