import Delivery
import Inspection
import Logging
import Metrics
import Models
import ServiceLifecycle
import ServiceRuntime
import VideoDecoding

/// Builds the service from its settings.
func makeServiceGroup(_ settings: Settings, _ telemetry: Telemetry) throws -> ServiceGroup {
    let logger = telemetry.logger
    let backbone = try Backbone(.depthAnalyzer, settings: settings.common, telemetry)
    let pauses = Counter(label: "rial_video_decoder_pauses_total")
    pauses.increment(by: 0)
    let pause = ProcessPause { pauses.increment() }
    // Videos that find no place would be read from the store again. Beside them, one that is measured again and the test may wait.
    let decoders = VideoDecoderPool(
        executable: settings.decoder, concurrency: settings.concurrentDecoders,
        waiting: settings.common.videoConsumers * MessageContext.maximumInHand + 2, pause: pause)
    let videos = VideoAnalysis(storage: backbone.storage, decoder: decoders, scratchFolder: settings.scratchFolder)
    let analysis = CaptureAnalysis(storage: backbone.storage, videos: videos, pause: pause)
    let work = AnalyzeDepth(analysis: analysis)
    let reassessment = DepthReassessment(
        queue: PostgresMeasurementQueue(database: backbone.database), analysis: analysis, logger: logger)
    let parts = PostgresPartRepository<DepthAnalyzed, DepthFindings>(.depthAnalyzer, database: backbone.database)
    let decoderTest = ProgramTest(
        metric: "rial_video_decoder_up", problem: "videos cannot be decoded", logger: logger, decoders.selfTest)
    return backbone.serviceGroup([
        backbone.consume(PartHandler(work, parts: parts)),
        backbone.consume(PartHandler(work, parts: parts, for: VideoReceived.self), consumers: settings.common.videoConsumers),
        PeriodicTask(name: "reassessments", every: .seconds(10), logger: logger) { try await reassessment.run() },
        PeriodicTask(name: "video decoder test", every: .seconds(60), logger: logger) { await decoderTest.run() },
    ])
}
