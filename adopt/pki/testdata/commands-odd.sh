# copies the keys and the administrator's kubeconfig from a control-plane node into a folder that only you can read (again, if it is there)
(umask 077 && mkdir -p prod-pki && rm -rf -- prod-pki/pki && scp -r 'root@[fd00::1]:/srv/my pki' prod-pki/pki && scp 'root@[fd00::1]:/etc/kubernetes/admin.conf' prod-pki/admin.conf && scp 'root@[fd00::1]:/etc/etcd/a,b='\''c'\''.crt' prod-pki/etcd-ca.crt && scp 'root@[fd00::1]:/srv/etcd.key' prod-pki/apiserver-etcd-client.key)
# shows the address by which the controllers will reach the cluster
grep server: prod-pki/admin.conf
# shows which authority was copied; compare it with the CA that the API server's certificate is verified to, which this run did not see, and go on only if it is the same
openssl x509 -in prod-pki/pki/ca.crt -outform der | sha256sum
# prod/prod-ca ca.crt of a control-plane node
kubectl '--context=it'\''s; rm -rf /' -n prod create secret generic prod-ca --type=Opaque --from-file=tls.crt=prod-pki/pki/ca.crt --dry-run=client -o yaml | kubectl label --local -f - cluster.x-k8s.io/cluster-name=prod -o yaml | kubectl annotate --local -f - 'a=$(x)' -o yaml | kubectl '--context=it'\''s; rm -rf /' apply --server-side -f -
# prod/prod-etcd /etc/etcd/a,b='c'.crt of a control-plane node
kubectl '--context=it'\''s; rm -rf /' -n prod create secret generic prod-etcd --type=Opaque --from-file=tls.crt=prod-pki/etcd-ca.crt --dry-run=client -o yaml | kubectl label --local -f - cluster.x-k8s.io/cluster-name=prod -o yaml | kubectl annotate --local -f - 'a=$(x)' -o yaml | kubectl '--context=it'\''s; rm -rf /' apply --server-side -f -
# prod/prod-proxy front-proxy-ca.crt and front-proxy-ca.key of a control-plane node
kubectl '--context=it'\''s; rm -rf /' -n prod create secret generic prod-proxy --type=Opaque --from-file=tls.crt=prod-pki/pki/front-proxy-ca.crt --from-file=tls.key=prod-pki/pki/front-proxy-ca.key --dry-run=client -o yaml | kubectl label --local -f - cluster.x-k8s.io/cluster-name=prod -o yaml | kubectl annotate --local -f - 'a=$(x)' -o yaml | kubectl '--context=it'\''s; rm -rf /' apply --server-side -f -
# prod/prod-sa sa.pub and sa.key of a control-plane node
kubectl '--context=it'\''s; rm -rf /' -n prod create secret generic prod-sa --type=Opaque --from-file=tls.crt=prod-pki/pki/sa.pub --from-file=tls.key=prod-pki/pki/sa.key --dry-run=client -o yaml | kubectl label --local -f - cluster.x-k8s.io/cluster-name=prod -o yaml | kubectl annotate --local -f - 'a=$(x)' -o yaml | kubectl '--context=it'\''s; rm -rf /' apply --server-side -f -
# prod/prod-apiserver-etcd-client apiserver-etcd-client.crt and /srv/etcd.key of a control-plane node
kubectl '--context=it'\''s; rm -rf /' -n prod create secret generic prod-apiserver-etcd-client --type=Opaque --from-file=tls.crt=prod-pki/pki/apiserver-etcd-client.crt --from-file=tls.key=prod-pki/apiserver-etcd-client.key --dry-run=client -o yaml | kubectl label --local -f - cluster.x-k8s.io/cluster-name=prod -o yaml | kubectl annotate --local -f - 'a=$(x)' -o yaml | kubectl '--context=it'\''s; rm -rf /' apply --server-side -f -
# prod/prod-kubeconfig the kubeconfig through which the controllers reach the cluster; no controller renews it: that is yours, before its certificate ends
kubectl '--context=it'\''s; rm -rf /' -n prod create secret generic prod-kubeconfig --type=Opaque --from-file=value=prod-pki/admin.conf --dry-run=client -o yaml | kubectl label --local -f - cluster.x-k8s.io/cluster-name=prod -o yaml | kubectl annotate --local -f - 'a=$(x)' -o yaml | kubectl '--context=it'\''s; rm -rf /' apply --server-side -f -
# prod/cp-1 an empty bootstrap Secret: with it no controller can bootstrap the machine anew
kubectl '--context=it'\''s; rm -rf /' -n prod create secret generic cp-1 --type=cluster.x-k8s.io/secret --dry-run=client -o yaml | kubectl label --local -f - cluster.x-k8s.io/cluster-name=prod -o yaml | kubectl annotate --local -f - 'a=$(x)' -o yaml | kubectl '--context=it'\''s; rm -rf /' apply --server-side -f -
# removes the copy of the keys
rm -rf -- prod-pki
