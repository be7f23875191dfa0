# The guest, after init: the host's root file system is here with a layer over it that is lost at the end, and /lab is
# the folder shared with the host. Sets the RDMA devices up, and runs one job after another: /lab/1/job, /lab/2/job, as
# they appear. Leaves in /lab
#   alive      grows as long as the guest does anything
# and in the folder of a job
#   out, err   what it printed
#   before, after   counters of the devices; after is as they are now, every two seconds
#   status     how it ended, written last, when all its processes are gone
# A file `kill` there ends it. LITMPI_JOB names the folder to the job.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LANG=C.UTF-8
. /lab/settings
export LITMPI_GUEST LITMPI_GUESTS
ulimit -l unlimited
umask 022
ip link set lo up
hostname "lab$LITMPI_GUEST"
printf '127.0.0.1 localhost\n127.0.1.1 lab%s\n' "$LITMPI_GUEST" > /etc/hosts

# Waits for a moment. A process to sleep in would cost more than the moment.
mkfifo /run/never
exec 9<> /run/never
moment() { read -rt 0.1 -u 9; }

# device counter value
counters() {
  local file value
  for file in /sys/class/infiniband/*/ports/1/hw_counters/*; do
    case $file in */lifespan) continue ;; esac
    local device=${file#/sys/class/infiniband/}
    read -r value < "$file" && printf '%s %s %s\n' "${device%%/*}" "${file##*/}" "$value"
  done
}

# A sign of life every two seconds, and the counters of the job's devices if there is one. They only grow: one that is
# read when it is half written is smaller, and does no harm.
told=0
sign() {
  ((SECONDS - told < 2)) && return
  told=$SECONDS
  echo >> /lab/alive
  [ -z "$1" ] || counters > "$1/after"
}

# Whether a process of the job is left: those of the kernel have no command line.
left() {
  local process words
  for process in /proc/[0-9]*; do
    [ "$process" = /proc/1 ] && continue
    words=
    read -rd '' words 2> /dev/null < "$process/cmdline"
    [ -n "$words" ] && return 0
  done
  return 1
}

run() {
  local job=$1 main status=137 i
  # What the host has built since is to be seen.
  echo 2 > /proc/sys/vm/drop_caches
  [ -e /run/loses ] && bash /lab/loss.sh 0
  counters > "$job/first" && mv "$job/first" "$job/before"
  LITMPI_JOB=$job bash "$job/job" > "$job/out" 2> "$job/err" < /dev/null &
  main=$!
  while kill -0 $main 2> /dev/null; do
    [ -e "$job/kill" ] && break
    sign "$job"
    moment
  done
  [ -e "$job/kill" ] || { wait $main; status=$?; }
  # This is process 1, the only one that the signal does not reach. One that does not go takes the guest along.
  for ((i = 0; i < 100; i++)); do
    kill -KILL -1 2> /dev/null
    left || break
    moment
  done
  wait
  counters > "$job/after"
  echo "$status" > "$job/status"
  ((i < 100)) || { sync; echo o > /proc/sysrq-trigger; }
}

. /lab/rxe.sh 2> /lab/rxe.log
export LITMPI_GID LITMPI_SHARED LITMPI_LOSS="bash /lab/loss.sh"
number=1
while :; do
  job=/lab/$number
  if [ ! -e "$job/job" ]; then
    sign
    moment
    continue
  fi
  if [ -n "$LITMPI_GID" ]; then
    run "$job"
  else
    { echo "lab: the RDMA devices could not be set up"; cat /lab/rxe.log; } > "$job/err"
    echo 125 > "$job/status"
  fi
  number=$((number + 1))
done
