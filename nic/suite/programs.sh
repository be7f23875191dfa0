# Programs of others between two processes, on the emulated NIC or on Soft-RoCE in the lab: a line for each, with its exit code and, if that
# is not 0, the first that it said of it. `docs/nic-suites.md` has both.
#
#     litmpi nic --scheduler prompt --pause 20 -- sh nic/suite/programs.sh
#     litmpi lab run -- sh -c 'LITMPI_GID=${LITMPI_GID:-1} sh nic/suite/programs.sh'
#
# With a name, only that program.

only=$1

# A program that waits, one that comes to it, and what the two are called.
both() {
  [ -z "$only" ] || [ "$only" = "$3" ] || return
  (timeout -k 1 60 sh -c "$1" > "$folder/waits" 2>&1) &
  waits=$!
  sleep 1.5
  timeout -k 1 50 sh -c "$2" > "$folder/comes" 2>&1
  code=$?
  kill $waits 2> /dev/null
  said=
  [ $code = 0 ] || said=$(grep -iE 'fail|error|invalid|could' "$folder/comes" | head -1 | cut -c1-120)
  echo "$3: $code${said:+ $said}"
}

folder=$(mktemp -d)
if [ -n "$LITMPI_GID" ]; then
  there=10.9.0.1 one="-d rx0" other="-d rx1" of="-x $LITMPI_GID" pingpong="-g $LITMPI_GID"
  export UCX_IB_GID_INDEX="$LITMPI_GID" UCX_UD_VERBS_ETH_DGID_CHECK=n
  first=UCX_NET_DEVICES=rx0:1 second=UCX_NET_DEVICES=rx1:1
else
  there=127.0.0.1 one= other= of= pingpong=
  first=UCX_NET_DEVICES=litmpi0:1 second=UCX_NET_DEVICES=litmpi0:1
fi
# Completion queues that libfabric makes for 256 ranks have more room than either device has.
export FI_UNIVERSE_SIZE=8
for name in "ib_write_bw" "ib_write_lat" "ib_read_bw" "ib_read_lat" "ib_send_bw" "ib_send_lat" "ib_atomic_bw" "ib_atomic_lat" \
  "ib_send_bw -c UD -s 1024" "ib_send_lat -c UD" "ib_write_bw -c UC" "ib_send_bw -c UC"; do
  both "$name -n 100 $of $one" "$name -n 100 $of $other localhost" "$name"
done
for name in "ibv_rc_pingpong" "ibv_rc_pingpong -e" "ibv_uc_pingpong" "ibv_ud_pingpong" "ibv_srq_pingpong" "ibv_xsrq_pingpong"; do
  both "$name -n 100 $pingpong $one" "$name -n 100 $pingpong $other localhost" "$name"
done
for name in tag_lat tag_bw stream_bw ucp_put_bw ucp_get ucp_fadd; do
  both "$first UCX_TLS=rc ucx_perftest -t $name -n 100 -w 10" "$second UCX_TLS=rc ucx_perftest -t $name -n 100 -w 10 localhost" "ucx_perftest -t $name"
done
both "rping -s -C 5 -a $there" "rping -c -C 5 -a $there" rping
both "ucmatose -b $there" "ucmatose -s $there" ucmatose
both "udaddy -b $there" "udaddy -s $there" udaddy
for name in "-p verbs -e msg" "-p verbs -e dgram" "-p 'verbs;ofi_rxm' -e rdm" "-p 'verbs;ofi_rxd' -e rdm"; do
  both "fi_pingpong $name -I 10 -S 1024" "fi_pingpong $name -I 10 -S 1024 $there" "fi_pingpong $name"
done
both qperf "qperf -t 1 $there rc_bw rc_lat ud_lat rc_rdma_write_bw" qperf
both "rstream -b $there -S 64 -C 20 -I 5" "rstream -s $there -S 64 -C 20 -I 5" rstream
rm -r "$folder"
