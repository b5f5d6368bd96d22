import Foundation
import TestSupport
import Testing

/// A point between two effects at which a test can kill a service.
struct FaultPoint: Sendable, Hashable, CustomTestStringConvertible {
    /// The request that makes the service reach it.
    enum Trigger: Sendable { case registration, capture, resumable, video, reassessment }

    let name: String
    let trigger: Trigger
    /// Whether it is in the short run, which has at least one point per service.
    let isShort: Bool

    init(_ name: String, _ trigger: Trigger = .capture, short: Bool = false) {
        self.name = name
        self.trigger = trigger
        isShort = short
    }

    var service: String { String(name.prefix { $0 != "." }) }
    var testDescription: String { trigger == .video ? "\(name), of a video" : name }

    static let all = ofPhotos + ofVideos

    private static let ofPhotos = [
        FaultPoint("gateway.challenge.consumed", .registration, short: true),
        FaultPoint("attestation-verifier.registration.stored", .registration),
        FaultPoint("attestation-verifier.registration.announced", .registration),
        FaultPoint("attestation-verifier.registration.committed", .registration, short: true),
        FaultPoint("gateway.capture.opened"),
        FaultPoint("gateway.capture.intake"),
        FaultPoint("gateway.capture.inserted"),
        FaultPoint("gateway.capture.announced"),
        FaultPoint("gateway.capture.committed", short: true),
        FaultPoint("gateway.upload.created", .resumable),
        FaultPoint("gateway.upload.put", .resumable, short: true),
        FaultPoint("gateway.upload.stored", .resumable),
        FaultPoint("gateway.upload.done", .resumable),
        FaultPoint("gateway.upload.recorded", .resumable, short: true),
        FaultPoint("gateway.upload.emptied", .resumable),
        FaultPoint("gateway.relay.published"),
        FaultPoint("attestation-verifier.counter.consumed"),
        FaultPoint("attestation-verifier.stored"),
        FaultPoint("attestation-verifier.announced"),
        FaultPoint("attestation-verifier.committed"),
        FaultPoint("attestation-verifier.relay.published"),
        FaultPoint("depth-analyzer.fetched"),
        FaultPoint("depth-analyzer.preview", short: true),
        FaultPoint("depth-analyzer.stored"),
        FaultPoint("depth-analyzer.announced"),
        FaultPoint("depth-analyzer.committed"),
        FaultPoint("depth-analyzer.relay.published"),
        FaultPoint("upload-sync.original"),
        FaultPoint("upload-sync.compared"),
        FaultPoint("upload-sync.stored"),
        FaultPoint("upload-sync.announced"),
        FaultPoint("upload-sync.committed"),
        FaultPoint("upload-sync.relay.published", short: true),
        FaultPoint("evidence-assembler.part.stored"),
        FaultPoint("evidence-assembler.exif"),
        FaultPoint("evidence-assembler.signed"),
        FaultPoint("evidence-assembler.completed"),
        FaultPoint("evidence-assembler.stated"),
        FaultPoint("evidence-assembler.announced"),
        FaultPoint("evidence-assembler.committed", short: true),
        FaultPoint("evidence-assembler.relay.published"),
        FaultPoint("evidence-assembler.reassessed", .reassessment, short: true),
        FaultPoint("evidence-assembler.reassessment.committed", .reassessment),
        FaultPoint("transparency-log.relay.published"),
    ]

    /// Those of videos alone, and those that videos have in common with photos.
    private static let ofVideos =
        [
            FaultPoint("depth-analyzer.video.fetched", .video),
            FaultPoint("depth-analyzer.video.decoded", .video, short: true),
        ]
        + ofPhotos.filter { $0.trigger == .capture && !$0.isOfPhotosAlone }.map {
            FaultPoint($0.name, .video, short: $0.name == "evidence-assembler.signed")
        }

    /// Those of the log's writer between the effects of a round, in their order: ``LogTests``. The first is reached by a new writer alone.
    static let ofLog =
        [FaultPoint(newWriter)]
        + ["sequenced", "committed", "tile", "tiles", "verified", "signed", "head", "cosigned", "recorded", "published", "checkpoint"].map {
            FaultPoint("transparency-log.\($0)", short: ["tile", "cosigned", "recorded"].contains($0))
        }
    static let newWriter = "transparency-log.led"

    private var isOfPhotosAlone: Bool { name == "depth-analyzer.fetched" }

    /// All points with `RIAL_TEST_FAULTS=full` (`make test-faults`), else those of the short run.
    static let chosen = FaultTests.isFull ? all : all.filter(\.isShort)
    static let chosenOfLog = FaultTests.isFull ? ofLog : ofLog.filter(\.isShort)

    /// The names in the product's sources, with `*` if shared code inserts the service's name.
    static func inSources() throws -> Set<String> {
        var names: Set<String> = []
        for folder in ["Services", "Shared"] {
            let root = SharedData.projectRoot.appendingPathComponent(folder)
            let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                let text = try String(contentsOf: file, encoding: .utf8)
                for match in text.matches(of: /FailPoint\.reached\("(.+?)"\)/) {
                    names.insert(String(match.1).replacing("\\(service.rawValue)", with: "*"))
                }
            }
        }
        return names
    }
}

extension LocalStack {
    /// Runs `work` while the point is armed, and restarts the service once the point was reached.
    func killing<Result: Sendable>(
        at point: FaultPoint, while work: @Sendable @escaping () async throws -> Result
    ) async throws -> Result {
        let armed = failPoints.appendingPathComponent(point.name)
        try Data().write(to: armed)
        // Even after a failure, the point must not affect a later test.
        defer { try? FileManager.default.removeItem(at: armed) }
        async let result = work()
        // The point removes its file right before it ends the process; `kill` waits until it has ended.
        try await eventually("\(point.name) was reached") { !FileManager.default.fileExists(atPath: armed.path) }
        try await control("kill", point.service)
        try await control("start", point.service)
        return try await result
    }
}
