# copies the keys and the administrator's kubeconfig from a control-plane node into a folder that only you can read (again, if it is there)
(umask 077 && mkdir -p prod-pki && rm -rf -- prod-pki/pki && scp -r root@10.0.0.11:/etc/kubernetes/pki prod-pki/pki && scp root@10.0.0.11:/etc/kubernetes/admin.conf prod-pki/admin.conf)
# shows the address by which the controllers will reach the cluster
grep server: prod-pki/admin.conf
# compares the copied authority with the one that signed the certificate of the API server that runs
if openssl x509 -in prod-pki/pki/ca.crt -outform der | sha256sum | grep -qE '^(abababababababababababababababababababababababababababababababab) '; then echo 'the right authority'; else echo 'WRONG AUTHORITY: stop' >&2; false; fi
# prod/prod-ca ca.crt and ca.key of a control-plane node
kubectl --context=mgmt -n prod create secret generic prod-ca --type=cluster.x-k8s.io/secret --from-file=tls.crt=prod-pki/pki/ca.crt --from-file=tls.key=prod-pki/pki/ca.key --dry-run=client -o yaml | kubectl label --local -f - cluster.x-k8s.io/cluster-name=prod -o yaml | kubectl annotate --local -f - proxaudit.io/rendered-by=proxaudit -o yaml | kubectl --context=mgmt apply --server-side -f -
# prod/prod-etcd etcd/ca.crt and etcd/ca.key of a control-plane node
kubectl --context=mgmt -n prod create secret generic prod-etcd --type=cluster.x-k8s.io/secret --from-file=tls.crt=prod-pki/pki/etcd/ca.crt --from-file=tls.key=prod-pki/pki/etcd/ca.key --dry-run=client -o yaml | kubectl label --local -f - cluster.x-k8s.io/cluster-name=prod -o yaml | kubectl annotate --local -f - proxaudit.io/rendered-by=proxaudit -o yaml | kubectl --context=mgmt apply --server-side -f -
# prod/prod-proxy front-proxy-ca.crt and front-proxy-ca.key of a control-plane node
kubectl --context=mgmt -n prod create secret generic prod-proxy --type=cluster.x-k8s.io/secret --from-file=tls.crt=prod-pki/pki/front-proxy-ca.crt --from-file=tls.key=prod-pki/pki/front-proxy-ca.key --dry-run=client -o yaml | kubectl label --local -f - cluster.x-k8s.io/cluster-name=prod -o yaml | kubectl annotate --local -f - proxaudit.io/rendered-by=proxaudit -o yaml | kubectl --context=mgmt apply --server-side -f -
# prod/prod-sa sa.pub and sa.key of a control-plane node
kubectl --context=mgmt -n prod create secret generic prod-sa --type=cluster.x-k8s.io/secret --from-file=tls.crt=prod-pki/pki/sa.pub --from-file=tls.key=prod-pki/pki/sa.key --dry-run=client -o yaml | kubectl label --local -f - cluster.x-k8s.io/cluster-name=prod -o yaml | kubectl annotate --local -f - proxaudit.io/rendered-by=proxaudit -o yaml | kubectl --context=mgmt apply --server-side -f -
# prod/prod-kubeconfig the kubeconfig through which the controllers reach the cluster; no controller renews it: that is yours, before its certificate ends
kubectl --context=mgmt -n prod create secret generic prod-kubeconfig --type=Opaque --from-file=value=prod-pki/admin.conf --dry-run=client -o yaml | kubectl label --local -f - cluster.x-k8s.io/cluster-name=prod -o yaml | kubectl annotate --local -f - proxaudit.io/rendered-by=proxaudit -o yaml | kubectl --context=mgmt apply --server-side -f -
# prod/cp-1 an empty bootstrap Secret: with it no controller can bootstrap the machine anew
kubectl --context=mgmt -n prod create secret generic cp-1 --type=cluster.x-k8s.io/secret --dry-run=client -o yaml | kubectl label --local -f - cluster.x-k8s.io/cluster-name=prod -o yaml | kubectl annotate --local -f - proxaudit.io/rendered-by=proxaudit -o yaml | kubectl --context=mgmt apply --server-side -f -
# removes the copy of the keys
rm -rf -- prod-pki
