#include <libavcodec/avcodec.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>

// Macros that Swift does not see.
static const int rial_averror_again = AVERROR(EAGAIN);
static const int rial_averror_eof = AVERROR_EOF;
static const int64_t rial_no_time = AV_NOPTS_VALUE;
