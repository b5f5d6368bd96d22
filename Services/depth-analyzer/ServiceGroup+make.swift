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
    return backbone.serviceGroup([
        backbone.consume(PartHandler(work, parts: parts)),
        backbone.consume(PartHandler(work, parts: parts, for: VideoReceived.self), consumers: settings.common.videoConsumers),
        PeriodicTask(name: "reassessments", every: .seconds(10), logger: logger) { try await reassessment.run() },
        PeriodicTask(name: "video decoder test", every: .seconds(60), logger: logger) {
            await testDecoder(logger) { () async throws(InspectionError) in
                try await decoders.selfTest()
            } report: {
                Meter(label: "rial_video_decoder_up").set($0)
            }
        },
    ])
}

/// Runs the decoder's self-test and reports its result, also in the log.
/// - Parameter report: gets 1 or 0; not called if it was not tested, because others wait for the decoders or the service ends.
func testDecoder(
    _ logger: Logger, _ test: @Sendable () async throws(InspectionError) -> Void, report: @Sendable (Double) -> Void
) async {
    do throws(InspectionError) {
        try await test()
        report(1)
    } catch {
        switch error {
        case .busy, .cancelled: break
        case .unavailable:
            report(0)
            logger.error("videos cannot be decoded", metadata: ["problem": "\(error)"])
        }
    }
}
