# Has each network card of the guest lose so many percent of what it sends, at random; 0 for none.
for path in /sys/class/net/*; do
  card=${path##*/}
  [ "$card" = lo ] && continue
  if [ "$1" != 0 ]; then
    tc qdisc replace dev "$card" root netem loss "$1%" || exit
  elif [ -e /run/loses ]; then
    tc qdisc del dev "$card" root
  fi
done
rm -f /run/loses
[ "$1" = 0 ] || : > /run/loses
