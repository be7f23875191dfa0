#!/bin/busybox sh
# The guest's first process: loads the modules, puts a writable layer over the host's root file system, and goes on there.
B=/bin/busybox
$B mount -t proc proc /proc
$B mount -t sysfs sys /sys
$B mount -t devtmpfs dev /dev
fail() { echo "lab: $*"; echo o > /proc/sysrq-trigger; $B sleep 60; }
while read -r module; do
  $B insmod "/modules/$module" || fail "the module $module cannot be loaded"
done < /modules/order
O="trans=virtio,version=9p2000.L,msize=512000"
$B mount -t 9p -o "ro,cache=loose,$O" root /lower || fail "the host's root file system cannot be mounted"
$B mount -t tmpfs -o size=75% upper /upper
$B mkdir -p /upper/top /upper/work
$B mount -t overlay -o lowerdir=/lower,upperdir=/upper/top,workdir=/upper/work overlay /root || fail "no overlay"
$B mkdir -p /root/lab
$B mount -t 9p -o "rw,cache=none,$O" lab /root/lab || fail "the shared folder cannot be mounted"
for d in proc sys dev; do $B mkdir -p /root/$d; $B mount --move /$d /root/$d; done
$B mkdir -p /root/dev/shm /root/dev/pts /root/run /root/tmp
$B mount -t tmpfs shm /root/dev/shm
$B mount -t devpts pts /root/dev/pts
$B mount -t tmpfs run /root/run
exec $B switch_root /root /bin/bash /lab/guest.sh
