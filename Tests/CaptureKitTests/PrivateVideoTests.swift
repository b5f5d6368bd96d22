import CaptureProtocol
import Foundation
import GRDB
import Testing
import VideoChain

@testable import CaptureKit

@Suite("The queue with videos in privacy mode")
struct PrivateVideoTests {
    static let flags = MetadataFlags(location: .coarse, timestamp: .day, device: .full)
    static let on = PrivacySettings(isOn: true, flags: flags)
    private static let kept: Set<SealedKind> = [.original, .originalDepth, .originalHashChain, .originalMetadata, .payload]

    private let rig: QueueRig

    init() throws { rig = try QueueRig() }

    /// Pictures of this many bytes have a brightness.
    private static func camera(_ pictures: Int, isInterrupted: Bool = false) -> NoiseCamera {
        NoiseCamera(pictures: pictures, bytes: 300, isInterrupted: isInterrupted)
    }

    private var bodies: [HashOnlyBody] {
        get async throws { try await rig.uploads.map { try HashOnlyBody.parse($0.body) } }
    }

    enum Ending: CaseIterable { case byHand, full, interruption, cutOff }

    @Test(
        "keeps what was recorded, and sends its hash, its counts and what is shared, however the recording ends", arguments: Ending.allCases
    )
    func endings(ending: Ending) async throws {
        var queue = try await rig.queue()
        switch ending {
        case .byHand: try await queue.record(Self.camera(330), privacy: Self.on)
        case .full: try await queue.record(Self.camera(460), privacy: Self.on)
        case .interruption: try await queue.record(Self.camera(160, isInterrupted: true), privacy: Self.on)
        case .cutOff:
            try await queue.recordCutOff(pictures: 200, bytes: 300, privacy: Self.on)
            queue = try await rig.queue()
        }
        try await queue.run(untilEmpty: true)

        let capture = try #require(try await queue.store.captures().first)
        let frames = [Ending.byHand: 330, .full: 450, .interruption: 160, .cutOff: 200][ending]
        #expect(capture.kind == .hashOnlyVideo && capture.state == .uploaded && capture.facts.flags == Self.flags)
        #expect(Set(capture.sizes.keys) == Self.kept.union([.assertion]))
        let facts = try #require(capture.facts.video)
        #expect(facts.frameCount == frames && facts.isPartial == (ending == .cutOff))
        #expect(facts.signedCheckpointCount == 0 && facts.signer == nil, "nobody is sent any")
        try await queue.store.expectWhole("after it was sent")

        let (sent, posts, device) = (try await bodies, await rig.posts, await rig.signing.current)
        #expect(sent.count == 1 && posts.count == 1, "and nothing else")
        #expect(await rig.uploads.first?.headers["content-type"] == "application/json")
        let body = try #require(sent.first)
        #expect(body.payload == (try await queue.store.bytes(.payload, of: capture.id)))
        #expect(body.assertion == HashOnlyClientData.hash(payload: body.payload).bytes + Array(device.description.utf8))
        let payload = try HashOnlyPayload.parse(body.payload)
        let video = try #require(payload.video)
        #expect(payload.mediaHash == ContentDigest(of: try await queue.content(.original, of: capture.id)))
        #expect(video.frameCount == frames && Int64(video.durationMilliseconds) == facts.durationMilliseconds)
        let chain = try await queue.chain(of: capture.id, .originalHashChain)
        #expect(video.finalHash == chain.finalHash && chain.frameHashes.count == frames)
        // Of a recording that was cut off the numbers are gone with its process.
        #expect(video.depth?.keyframes == (ending == .cutOff ? nil : facts.depthCount))
    }

    @Test(
        "shares what the settings shared when the recording began, each of the 27 of them, also of one that was cut off",
        arguments: [false, true])
    func settings(isCutOff: Bool) async throws {
        let queue = try await rig.queue()
        for flags in MetadataFlags.all {
            let privacy = PrivacySettings(isOn: true, flags: flags)
            if isCutOff {
                try await queue.recordCutOff(pictures: 20, privacy: privacy)
                try await queue.recoverRecordings()
            } else {
                try await queue.record(Self.camera(20), privacy: privacy)
            }
        }
        try await queue.run(untilEmpty: true)
        let facts = HashOnlyPayload.Facts(
            capturedAt: Date(timeIntervalSince1970: 1_800_000_000), location: FrameFixture.lisbon, deviceModel: "iPhone 15 Pro",
            osVersion: "18.6.2", appVersion: "7.3.1")
        let payloads = try await bodies.map { try HashOnlyPayload.parse($0.payload) }
        #expect(payloads.map(\.flags) == MetadataFlags.all)
        for payload in payloads {
            let video = try #require(payload.video)
            #expect(payload == HashOnlyPayload(mediaHash: payload.mediaHash, facts: facts, sharing: payload.flags, video: video))
        }
    }

    @Test("measures no depth of pictures without brightness, and is sent all the same")
    func withoutLuma() async throws {
        let queue = try await rig.queue()
        try await queue.record(NoiseCamera(pictures: 40), privacy: Self.on)
        try await queue.run(untilEmpty: true)
        let payload = try HashOnlyPayload.parse(try #require(try await bodies.first).payload)
        let video = try #require(payload.video)
        #expect(video.frameCount == 40 && video.depth == nil)
    }

    @Test("leaves out of the measurements what the encoder leaves out")
    func pictureLeftOut() async throws {
        let queue = try await rig.queue()
        let capture = try await queue.record(Self.camera(100), PlainEncoder(leavesOut: [180, 240, 1200]), privacy: Self.on)
        let payload = try HashOnlyPayload.parse(try await queue.store.bytes(.payload, of: capture.id))
        let video = try #require(payload.video)
        #expect(video.frameCount == 97 && video.depth?.keyframes == 34 - 3)
    }

    @Test("sends the same body after every fault, and keeps the video")
    func faults() async throws {
        await rig.server.script(
            QueueRig.uploads, .loseAnswer, .fail(.unreachable("")), .answer(.error(503, "STORAGE_ERROR")),
            .answer(.error(429, "RATE_LIMITED")), .answer(.error(500, "INTERNAL_ERROR")), .loseAnswer)
        let queue = try await rig.queue()
        let capture = try await queue.record(Self.camera(30), privacy: Self.on)
        let video = try await queue.content(.original, of: capture.id)
        try await queue.run(untilEmpty: true)
        #expect(await rig.uploads.count == 7)
        #expect(Set(await rig.uploads.map(\.body)).count == 1)
        #expect(try await queue.capture(capture.id).state == .uploaded)
        #expect(try await queue.content(.original, of: capture.id) == video)
    }

    @Test("has the same payload signed by a new identity when the server does not know the old one", arguments: [false, true])
    func newIdentity(isCutOff: Bool) async throws {
        await rig.server.script(QueueRig.uploads, .answer(.error(401, "DEVICE_NOT_REGISTERED")))
        let queue = try await rig.queue()
        if isCutOff {
            try await queue.recordCutOff(pictures: 170, privacy: Self.on)
        } else {
            try await queue.record(Self.camera(170), privacy: Self.on)
        }
        try await queue.run(untilEmpty: true)
        let sent = try await bodies
        #expect(sent.count == 2 && sent[0].payload == sent[1].payload && sent[0].assertion != sent[1].assertion)
        #expect(try await queue.store.captures().map(\.state) == [.uploaded])
    }

    @Test("has the payload signed later if the hardware cannot now")
    func later() async throws {
        await rig.signing.script(assertions: [.later(CaptureFailure(code: "assertion_failed", message: ""))])
        let queue = try await rig.queue()
        let capture = try await queue.record(Self.camera(30), privacy: Self.on)
        let payload = try await queue.content(.payload, of: capture.id)
        #expect(capture.state == .assertionPending)
        try await queue.run(untilEmpty: true)
        #expect(try await bodies.map(\.payload) == [payload])
    }

    @Test("waits for a person where no hardware signs, and sends nothing", arguments: [false, true])
    func noHardware(isCutOff: Bool) async throws {
        await rig.signing.script(assertions: [.unsupported])
        let queue = try await rig.queue()
        if isCutOff {
            try await queue.recordCutOff(pictures: 30, privacy: Self.on)
        } else {
            try await queue.record(Self.camera(30), privacy: Self.on)
        }
        try await queue.run(untilEmpty: true)
        let capture = try #require(try await queue.store.captures().first)
        #expect(capture.state == .assertionFailed && capture.facts.failure?.code == "hardware_signature_required")
        await #expect(throws: StoreError.needsAssertion) { try await queue.sendWithoutAssertion(capture.id) }
        #expect(await rig.uploads.isEmpty)
    }

    @Test("gives its person the very bytes that were hashed, for as long as they are not deleted")
    func export() async throws {
        let queue = try await rig.queue()
        let capture = try await queue.record(Self.camera(30), isQuickTime: true, privacy: Self.on)
        try await queue.run(untilEmpty: true)
        for days in [7.0, 365, 3650] {
            try await queue.store.expire(at: rig.clock.now.addingTimeInterval(days * 86_400))
        }
        #expect(try await queue.capture(capture.id).sizes == capture.sizes)
        let usage = try await queue.store.usage()
        #expect(usage.keptBytes == SealedKind.originals.compactMap { capture.sizes[$0] }.reduce(0, +) && usage.keptBytes > 9000)
        let path = rig.store.folder.path + "/video.mov"
        try queue.export(.original, of: capture.id, to: path)
        let file = try #require(FileManager.default.contents(atPath: path))
        let payload = try HashOnlyPayload.parse(try await queue.store.bytes(.payload, of: capture.id))
        #expect(ContentDigest(of: file) == payload.mediaHash)
        try await queue.delete(capture.id)
        #expect(try rig.store.content().isEmpty)
        #expect(try await queue.store.usage().keptBytes == 0)
    }

    @Test("may be deleted before it was sent, and is not sent then")
    func deleted() async throws {
        let queue = try await rig.queue()
        try await queue.delete(try await queue.record(Self.camera(30), privacy: Self.on).id)
        try await queue.run(untilEmpty: true)
        #expect(await rig.uploads.isEmpty)
        #expect(try rig.store.content().isEmpty)
    }

    @Test("lends the system a body without media, whose job has no handle on any")
    func background() async throws {
        let queue = try await rig.queue()
        let capture = try await queue.record(Self.camera(30), privacy: Self.on)
        guard case .hashOnly(let job) = try await queue.store.job(of: capture) else { throw CocoaError(.coderInvalidValue) }
        #expect(Mirror(reflecting: job).children.allSatisfy { $0.value is [UInt8] })
        let lent = try await queue.lendForBackground(capture.id)
        let body = try #require(FileManager.default.contents(atPath: lent.bodyPath)).map { $0 }
        #expect(body.count < 14_000)
        #expect(try HashOnlyBody.parse(body) == job)
    }

    @Test("is not sent in full, whoever changes the store's folder")
    func changedMode() async throws {
        let queue = try await rig.queue()
        let capture = try await queue.record(Self.camera(30), privacy: Self.on)
        let folder = URL(fileURLWithPath: rig.store.path)
        try await DatabaseQueue(path: folder.appendingPathComponent("captures.sqlite").path).write { database in
            try database.execute(
                sql: """
                    UPDATE captures SET job = 'video', video_bytes = original_bytes, depth_bytes = original_depth_bytes,
                        metadata_bytes = original_metadata_bytes, hash_chain_bytes = original_hash_chain_bytes
                    """)
        }
        for (from, to) in [
            ("original", "video"), ("original-depth", "depth"), ("original-metadata", "metadata"), ("original-hash-chain", "hash-chain"),
        ] {
            let name = { (kind: String) in folder.appendingPathComponent("content/\(capture.id).\(kind)") }
            try FileManager.default.copyItem(at: name(from), to: name(to))
        }
        try await queue.run(untilEmpty: true)
        #expect(await rig.posts.isEmpty)
        #expect(try await queue.capture(capture.id).state == .failed)
    }

    @Test("shows nothing of itself in any file, while it is recorded and afterwards")
    func nothingPlain() async throws {
        let queue = try await rig.queue()
        try await queue.recordCutOff(pictures: 100, bytes: 300, privacy: Self.on)
        let before = try rig.store.everything()
        let id = try #require(try await queue.recoverRecordings().first).id
        let (video, after) = (try await queue.content(.original, of: id), try rig.store.everything())
        let texts = ["media_hash", "frame_hashes", "38.707", "iPhone", "coarse", "7.3.1"]
        // The beginnings of a file and of its depth are longer than their marks, which noise has by chance.
        let begins = [Array(video[4..<20]), Array(DepthData.header(width: 0, height: 0).prefix(8))]
        for piece in texts.map({ Array($0.utf8) }) + begins + [Array(video[10_000..<10_016])] {
            #expect(before.firstRange(of: piece) == nil && after.firstRange(of: piece) == nil, "\(piece)")
        }
    }

    @Test("records nothing of which the server would refuse what is shared, and leaves nothing over")
    func refusedFacts() async throws {
        let queue = try await rig.queue()
        await #expect(throws: RecordingError.invalidInput) {
            try await queue.record(Self.camera(30), privacy: Self.on, model: String(repeating: "x", count: 200))
        }
        #expect(try rig.store.content().isEmpty)
        // Nobody is told of it: it does not matter.
        let silent = PrivacySettings(isOn: true, flags: MetadataFlags(location: .none, timestamp: .none, device: .none))
        let capture = try await queue.record(Self.camera(30), privacy: silent)
        #expect(capture.kind == .hashOnlyVideo)
    }
}

extension QueueRig {
    /// Whatever was sent to the server.
    fileprivate var posts: [ScriptedServer.Request] { get async { await server.requests.filter { $0.method == "POST" } } }
}
