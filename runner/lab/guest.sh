# The guest, after init: the host's root file system is here with a layer over it that is lost at the end, and /lab is
# the folder shared with the host. Sets the RDMA devices up, runs /lab/job, and leaves in /lab
#   alive      grows as long as the guest does anything
#   out, err   what the job printed
#   before, after   counters of the devices; after is as they are now, every two seconds
#   status     how the job ended, written last
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LANG=C.UTF-8
. /lab/settings
export LITMPI_GUEST LITMPI_GUESTS
ulimit -l unlimited
umask 022
ip link set lo up
hostname "lab$LITMPI_GUEST"
printf '127.0.0.1 localhost\n127.0.1.1 lab%s\n' "$LITMPI_GUEST" > /etc/hosts

# device counter value
counters() {
  local file value
  for file in /sys/class/infiniband/*/ports/1/hw_counters/*; do
    case $file in */lifespan) continue ;; esac
    local device=${file#/sys/class/infiniband/}
    read -r value < "$file" && printf '%s %s %s\n' "${device%%/*}" "${file##*/}" "$value"
  done
}
(
  while :; do
    echo >> /lab/alive
    [ -e /lab/before ] && counters > /lab/now && mv /lab/now /lab/after
    sleep 2
  done
) &

. /lab/rxe.sh 2> /lab/rxe.log
status=125
if [ -n "$LITMPI_GID" ]; then
  export LITMPI_GID LITMPI_SHARED
  counters > /lab/first && mv /lab/first /lab/before
  bash /lab/job > /lab/out 2> /lab/err < /dev/null
  status=$?
  counters > /lab/last && mv /lab/last /lab/after
else
  { echo "lab: the RDMA devices could not be set up"; cat /lab/rxe.log; } > /lab/err
fi
echo "$status" > /lab/status
sync
sleep 600
