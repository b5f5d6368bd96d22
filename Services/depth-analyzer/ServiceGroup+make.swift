import Delivery
import Inspection
import Logging
import Metrics
import Models
import Observability
import ServiceLifecycle
import ServiceRuntime
import VideoDecoding

/// Builds the service from its settings.
func makeServiceGroup(_ settings: Settings, metrics: MetricsRegistry, logger: Logger) throws -> ServiceGroup {
    let backbone = try Backbone(.depthAnalyzer, settings: settings.common, metrics: metrics, logger: logger)
    let pauses = Counter(label: "rial_video_decoder_pauses_total")
    pauses.increment(by: 0)
    let pause = ProcessPause { pauses.increment() }
    // One that found no place would be read from the store again.
    let decoders = VideoDecoderPool(
        executable: settings.decoder, concurrency: settings.concurrentDecoders,
        waiting: settings.common.videoConsumers * MessageContext.maximumInHand, pause: pause)
    let videos = VideoAnalysis(storage: backbone.storage, decoder: decoders, scratchFolder: settings.scratchFolder)
    let analysis = CaptureAnalysis(storage: backbone.storage, videos: videos, pause: pause)
    let work = AnalyzeDepth(analysis: analysis)
    let reassessment = DepthReassessment(
        queue: PostgresMeasurementQueue(database: backbone.database), analysis: analysis, logger: logger)
    let parts = PostgresPartRepository<DepthAnalyzed, DepthFindings>(.depthAnalyzer, database: backbone.database)
    return backbone.serviceGroup([
        backbone.consume(PartHandler(work, parts: parts)),
        backbone.consume(PartHandler(work, parts: parts, for: VideoReceived.self), consumers: settings.common.videoConsumers),
        PeriodicTask(name: "reassessments", every: .seconds(10), logger: logger) { try await reassessment.run() },
        PeriodicTask(name: "video decoder test", every: .seconds(60), logger: logger) { await test(decoders, logger) },
    ])
}

/// Runs the decoder's self-test and reports the result as a metric and in the log.
private func test(_ decoders: VideoDecoderPool, _ logger: Logger) async {
    let gauge = Meter(label: "rial_video_decoder_up")
    do {
        try await decoders.selfTest()
        gauge.set(1)
    } catch {
        gauge.set(0)
        logger.error("videos cannot be decoded", metadata: ["problem": "\(error)"])
    }
}
