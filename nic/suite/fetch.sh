#!/bin/sh
# Gets rdma-core's Python tests and pyverbs from the distribution's package into a folder, without installing it:
#     nic/suite/fetch.sh FOLDER
set -e
folder=${1:?usage: fetch.sh FOLDER}
mkdir -p "$folder"
cd "$folder"
[ -d tests ] && exit 0
apt-get download -q python3-pyverbs > fetched 2>&1 || { cat fetched >&2; exit 1; }
dpkg -x python3-pyverbs_*.deb .
cp -r usr/share/doc/rdma-core/tests half
gunzip -f half/*.gz
mv half tests
