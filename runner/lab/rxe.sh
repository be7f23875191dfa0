# Soft-RoCE devices. One guest: rx0 and rx1 on the two ends of a veth pair, one for each of two nodes. Several guests:
# rx0 of each, on the network between them. Sets LITMPI_GID, the index of the devices' RoCEv2 address over IPv4.

# Addresses of one machine reach each other without leaving it, unless the routing says otherwise: the table `local` is
# asked after those of the two ends, and only at once for what comes in by them.
pair() {
  local i
  ip link add v0 type veth peer name v1
  for i in 0 1; do
    ip link set "v$i" mtu 4200
    ip addr add "10.9.0.$((i + 1))/24" dev "v$i"
    ip link set "v$i" up
  done
  for i in all v0 v1; do
    for k in accept_local=1 rp_filter=0 arp_ignore=1 arp_announce=2; do
      echo "${k#*=}" > "/proc/sys/net/ipv4/conf/$i/${k%=*}"
    done
  done
  ip -batch - <<'RULES'
rule add pref 1 iif v0 lookup local
rule add pref 2 iif v1 lookup local
rule add pref 10 to 10.9.0.2 oif v0 lookup 100
rule add pref 11 to 10.9.0.1 oif v1 lookup 101
route add 10.9.0.0/24 dev v0 table 100
route add 10.9.0.0/24 dev v1 table 101
rule add pref 100 lookup local
rule del pref 0
RULES
  rdma link add rx0 type rxe netdev v0
  rdma link add rx1 type rxe netdev v1
}

# The network card between the guests.
card() {
  local path name
  for path in /sys/class/net/*; do
    name=${path##*/}
    [ -e "$path/device" ] || continue
    ip link set "$name" mtu 4200 || ip link set "$name" mtu 1500
    ip addr add "10.7.0.$((LITMPI_GUEST + 1))/24" dev "$name"
    ip link set "$name" up
    rdma link add rx0 type rxe netdev "$name"
    return
  done
}

# The index of the device's address that ends in this IPv4 prefix, in hexadecimal.
index() {
  local file
  for file in "/sys/class/infiniband/$1/ports/1/gids/"*; do
    case $(cat "$file" 2> /dev/null) in *:ffff:$2:*) echo "${file##*/}"; return ;; esac
  done
}

# The second kind of memory that guests may share: the window of an ivshmem card.
window() {
  local path
  for path in /sys/bus/pci/devices/*; do
    [ "$(< "$path/vendor")$(< "$path/device")" = 0x1af40x1110 ] && { echo 1 > "$path/enable"; echo "$path/resource2"; }
  done
}

LITMPI_SHARED=
if [ "$LITMPI_GUESTS" = 1 ]; then
  pair
  prefix=0a09 last=rx1
else
  card
  LITMPI_SHARED=$(window)
  prefix=0a07 last=rx0
fi
LITMPI_GID=
for i in $(seq 50); do
  LITMPI_GID=$(index "$last" "$prefix")
  [ -n "$LITMPI_GID" ] && [ -n "$(index rx0 "$prefix")" ] && break
  sleep 0.1
done
