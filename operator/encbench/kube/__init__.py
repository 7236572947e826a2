"""What every Kubernetes object of encbench has in common; small and pure."""
