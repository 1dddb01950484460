"""A real kube-apiserver with its etcd, for whatever speaks to Kubernetes: `make test-kubernetes`."""
