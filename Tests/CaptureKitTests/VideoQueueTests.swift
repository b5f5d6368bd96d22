import CaptureProtocol
import Foundation
import Testing
import VideoChain

@testable import CaptureKit

@Suite("The queue with videos")
struct VideoQueueTests {
    private let rig: QueueRig
    private let book: UploadBook

    init() throws {
        book = UploadBook { digest in QueueRig.accepted(digest) }
        rig = try QueueRig(book)
    }

    private var videos: [ScriptedServer.Request] { get async { await rig.server.requests(of: VideoUpload.path) } }

    @Test("signs 5 s, 10 s and the end, and sends all parts of the very bytes that were signed to the route of videos")
    func whole() async throws {
        let queue = try await rig.queue()
        let capture = try await queue.record(NoiseCamera(pictures: 330))
        let facts = try #require(capture.facts.video)
        #expect(capture.kind == .video && capture.state == .pending && capture.hasAssertion)
        #expect(facts.frameCount == 330 && facts.durationMilliseconds == 11_000 && facts.depthCount == 110 && !facts.isPartial)
        let device = await rig.signing.current
        #expect(capture.device == device && facts.signer == device && facts.signedCheckpointCount == 2)
        for checkpoint in try await queue.chain(of: capture.id).checkpoints {
            #expect(checkpoint.assertion == VideoClientData.hash(of: checkpoint).bytes + Array(device.description.utf8))
        }
        try await queue.store.expectWhole("after the recording")

        try await queue.run(untilEmpty: true)
        let body = try #require(await videos.first).body
        let assertion = try await queue.content(.assertion, of: capture.id)
        let hash = VideoClientData.final(
            video: try await queue.digest(.video, of: capture), depth: try await queue.digest(.depth, of: capture),
            metadata: try await queue.digest(.metadata, of: capture), hashChain: try await queue.digest(.hashChain, of: capture))
        #expect(assertion == hash.bytes + Array(device.description.utf8))
        for kind in [SealedKind.video, .depth, .metadata, .hashChain, .assertion] {
            #expect(body.firstRange(of: try await queue.content(kind, of: capture.id)) != nil, "\(kind)")
        }
        #expect(body.firstRange(of: Array("filename=\"video.mp4\"".utf8)) != nil)
        #expect(try await queue.capture(capture.id).state == .uploaded)
    }

    @Test("sends what was recorded before the process ended, with the checkpoints that were signed and no signature of the end")
    func cutOff() async throws {
        try await rig.queue().recordCutOff(pictures: 200)
        let queue = try await rig.queue()
        try await queue.run(untilEmpty: true)
        let capture = try #require(try await queue.store.captures().first)
        let chain = try await queue.chain(of: capture.id)
        #expect(capture.state == .uploaded && !capture.hasAssertion && capture.facts.video?.isPartial == true)
        #expect(chain.frameHashes.count == 200 && chain.checkpoints.map(\.frames) == [150])
        #expect(chain.checkpoints.allSatisfy { $0.assertion != nil })
        let body = try #require(await videos.first).body
        #expect(body.firstRange(of: Array("name=\"assertion\"".utf8)) == nil)
        #expect(capture.device == (await rig.signing.current))
        try await queue.store.expectWhole("after the recovery")
    }

    @Test("goes on where a large upload broke off, also in another process, a piece at a time")
    func resumes() async throws {
        let queue = try await rig.queue()
        let capture = try await queue.record(NoiseCamera(pictures: 100, bytes: 30_000), isQuickTime: true)
        let body = try await queue.store.job(of: capture).body
        #expect(body.contentLength > 3_000_000)
        let reader = try body.makeReader()
        while let piece = try await reader.next() { #expect(piece.count <= 65_536, "never more of it in memory") }
        _ = book.answer(
            to: .init(
                method: "POST", target: VideoUpload.path,
                headers: Dictionary(
                    [("x-digest", try await body.digest().hex), UploadFields.representationDigest(try await body.digest())]
                        + UploadFields.creation(lengthBytes: body.contentLength), uniquingKeysWith: { first, _ in first }), body: []))
        let target = try #require(book.target)
        await rig.server.script(target, .cut(afterBytes: 1_700_001), .fail(.unreachable("")))
        try await queue.attempt(capture.id)
        try await queue.store.close()

        let next = try await rig.queue()
        let before = await rig.server.requests.count
        try await next.run(untilEmpty: true)
        let requests = await rig.server.requests.dropFirst(before).filter { $0.target == target }
        #expect(requests.map(\.method) == ["HEAD", "PATCH"])
        #expect(requests.last?.body.count == Int(body.contentLength) - 1_700_001)
        let sent = try await next.capture(capture.id)
        let digest = try await body.digest()
        #expect(sent.state == .uploaded && sent.serverID == QueueRig.captureID(digest))
        #expect(sent.facts.resumedAt == 1_700_001)
    }

    @Test("fails for good when the server finds video or chain wrong", arguments: ["INVALID_VIDEO", "INVALID_HASH_CHAIN"])
    func refused(code: String) async throws {
        let queue = try await rig.queue()
        await rig.server.script(VideoUpload.path, .answer(.error(422, code)))
        let capture = try await queue.record(NoiseCamera(pictures: 30))
        try await queue.run(untilEmpty: true)
        let failed = try await queue.capture(capture.id)
        #expect(failed.state == .failed && failed.facts.failure?.code == code)
        #expect(await videos.count == 1)
    }

    @Test("waits when the server has taken enough videos, and sends photos in the meantime")
    func limited() async throws {
        let queue = try await rig.queue()
        await rig.server.script(VideoUpload.path, .answer(.json(429, "{}", headers: ["retry-after": "720"])))
        let start = rig.clock.now
        let video = try await queue.record(NoiseCamera(pictures: 30))
        let photo = try await queue.add(SampleContent())
        try await queue.run(untilEmpty: true)
        let order = await rig.server.requests.filter { $0.method == "POST" }.map(\.target)
        #expect(order == [VideoUpload.path, CaptureUpload.path, VideoUpload.path])
        let waited = rig.clock.now.timeIntervalSince(start)
        #expect((720..<800).contains(waited), "\(waited)")
        #expect(try await queue.capture(video.id).state == .uploaded)
        #expect(try await queue.capture(photo.id).state == .uploaded)
    }

    @Test("is signed by the next device alone when the server does not know the first one any more", arguments: [false, true])
    func otherDevice(isCutOff: Bool) async throws {
        let queue = try await rig.queue()
        if isCutOff { try await queue.recordCutOff(pictures: 170) } else { try await queue.record(NoiseCamera(pictures: 170)) }
        let first = await rig.signing.current
        await rig.server.script(VideoUpload.path, .answer(.error(401, "DEVICE_NOT_REGISTERED")))
        try await queue.run(untilEmpty: true)
        let capture = try #require(try await queue.store.captures().first)
        let next = await rig.signing.current
        #expect(next != first && capture.state == .uploaded && capture.device == next)
        #expect(try await queue.chain(of: capture.id).checkpoints.map { $0.assertion == nil } == [true])
        #expect(capture.hasAssertion == !isCutOff)
        if !isCutOff {
            #expect(try await queue.content(.assertion, of: capture.id).suffix(36) == Array(next.description.utf8)[...])
        }
        try await queue.store.expectWhole("after the change of devices")
    }

    @Test("signs the end later if the hardware cannot now")
    func signedLater() async throws {
        let queue = try await rig.queue()
        await rig.signing.script(assertions: [.later(CaptureFailure(code: "assertion_failed", message: ""))])
        let capture = try await queue.record(NoiseCamera(pictures: 30))
        #expect(capture.state == .assertionPending)
        try await queue.run(untilEmpty: true)
        let sent = try await queue.capture(capture.id)
        #expect(sent.state == .uploaded && sent.hasAssertion && sent.facts.video?.isPartial == false)
    }

    @Test("signs the end of an interrupted recording whose encoder the system took first", arguments: [0, 1, 4])
    func encoderTaken(missing: Int) async throws {
        let queue = try await rig.queue()
        let encoder = PlainEncoder(failsFrom: Int64(170 - missing) * 20)
        let capture = try await queue.record(NoiseCamera(pictures: 170, isInterrupted: true), encoder)
        #expect(capture.hasAssertion && capture.state == .pending)
        #expect(capture.facts.video?.frameCount == 170 - missing && capture.facts.video?.isPartial == false)
        try await queue.store.expectWhole("after the recording")
    }

    @Test(
        "takes a recording for cut off whose encoder fails long before an interruption, or without one",
        arguments: [(0, false), (1, false), (5, true)])
    func encoderFails(missing: Int, isInterrupted: Bool) async throws {
        let queue = try await rig.queue()
        let encoder = PlainEncoder(failsFrom: Int64(170 - missing) * 20)
        let camera = NoiseCamera(pictures: 170, isInterrupted: isInterrupted)
        await #expect(throws: PlainEncoder.Failed.self) { try await queue.record(camera, encoder) }
        let capture = try #require(try await queue.recoverRecordings().first)
        #expect(capture.facts.video?.frameCount == 170 - missing && capture.facts.video?.isPartial == true)
        #expect(!capture.hasAssertion)
    }

    @Test("signs what was recorded whole when the task that records is cancelled", .timeLimit(.minutes(1)))
    func cancelled() async throws {
        let queue = try await rig.queue()
        let camera = CameraInputs<[UInt8], [UInt8]>()
        let depth = try DepthPlane(bytes: [UInt8](repeating: 1, count: 64), width: 4, height: 4)
        let recording = Task { try await queue.record(camera) }
        // A picture without depth, which is left out, shows when the recorder reads.
        var isRead = false
        while !isRead {
            await Task.yield()
            camera.give([], at: 0) {
                isRead = true
                return nil
            }
        }
        for number in 0..<4 { camera.give(.noise(200, seed: UInt64(number + 1)), at: Double(number) / 30) { depth } }
        recording.cancel()
        // It ends, although the camera does not. What could not be added then is added now.
        _ = await recording.result
        try await queue.recoverRecordings()
        let capture = try #require(try await queue.store.captures().first)
        #expect(capture.hasAssertion && capture.facts.video?.frameCount == 4 && capture.facts.video?.isPartial == false)
        try await queue.store.expectWhole("after the recording")
    }

    @Test("records on when the encoder leaves out pictures, with the depth maps of all others")
    func pictureLeftOut() async throws {
        let queue = try await rig.queue()
        let encoder = PlainEncoder(leavesOut: [180, 240, 1200])
        let facts = try #require(try await queue.record(NoiseCamera(pictures: 170), encoder).facts.video)
        #expect(facts.frameCount == 167 && facts.depthCount == 57 - 3 && facts.signedCheckpointCount == 1)
        // Also if nothing is written at the end any more.
        await #expect(throws: NoiseCamera.Broken.self) { try await queue.record(NoiseCamera(pictures: 170, isBroken: true), encoder) }
        let recovered = try #require(try await queue.recoverRecordings().first?.facts.video)
        #expect(recovered.frameCount > 145 && recovered.depthCount > 45)
    }

    @Test("gives each sample the depth of its own picture when the encoder leaves out the first ones", arguments: [1, 3, 4])
    func firstPicturesLeftOut(count: Int) async throws {
        let queue = try await rig.queue()
        let encoder = PlainEncoder(leavesOut: Set((0..<count).map { Int64($0) * 20 }))
        let capture = try await queue.record(NoiseCamera(pictures: 30), encoder)
        let file = try await queue.content(.video, of: capture.id)
        let maps = try InflatedDepthData.read(try await queue.content(.depth, of: capture.id), DepthDigests()).visitor.records
        let pictures = (count..<30).filter { $0.isMultiple(of: 3) }
        #expect(capture.facts.video?.frameCount == 30 - count)
        #expect(maps.map { Int($0.record.sample) } == pictures.map { $0 - count })
        // The samples are those of the other pictures, in their order.
        let places = (0..<30).map { file.firstRange(of: [UInt8].noise(200, seed: UInt64($0 + 1)))?.lowerBound }
        #expect(places.prefix(count).allSatisfy { $0 == nil })
        let kept = places.compactMap(\.self)
        #expect(kept.count == 30 - count && kept == kept.sorted())
        for ((record, digest), picture) in zip(maps, pictures) {
            #expect(digest == ContentDigest(of: [UInt8](repeating: UInt8(picture), count: 4 * 4 * 4)))
            #expect(record.time == 20 * Int64(record.sample))
        }
    }

    @Test("makes no capture of a picture or two without a depth map, and leaves nothing of them", arguments: [false, true])
    func firstPictureLeftOut(isCutOff: Bool) async throws {
        let queue = try await rig.queue()
        let encoder = PlainEncoder(leavesOut: [0])
        if isCutOff {
            await #expect(throws: NoiseCamera.Broken.self) { try await queue.record(NoiseCamera(pictures: 3, isBroken: true), encoder) }
            #expect(try await queue.recoverRecordings() == [])
        } else {
            await #expect(throws: RecordingError.empty) { try await queue.record(NoiseCamera(pictures: 3), encoder) }
        }
        #expect(try rig.store.content().isEmpty)
        // Nothing of it is sent in privacy mode but numbers.
        let kept = try await queue.record(NoiseCamera(pictures: 3, bytes: 300), encoder, privacy: PrivateVideoTests.on)
        #expect(kept.facts.video?.frameCount == 2 && kept.facts.video?.depthCount == 0)
    }

    @Test("keeps a longer recording without a depth map, of which no server would make anything")
    func noDepth() async throws {
        let queue = try await rig.queue()
        let encoder = PlainEncoder(leavesOut: Set(stride(from: 0, to: 600, by: 60)))
        await #expect(throws: RecordingError.noDepth) { try await queue.record(NoiseCamera(pictures: 30), encoder) }
        try await queue.run(untilEmpty: true)
        #expect(await videos.isEmpty)
        let content = try rig.store.content()
        #expect(content.count == 1 && content.allSatisfy { $0.hasSuffix(".recording") })
    }

    @Test("refuses a recording that no server takes before it begins", arguments: ["", String(repeating: "x", count: 101)])
    func refusedAtOnce(model: String) async throws {
        let queue = try await rig.queue()
        await #expect(throws: RecordingError.invalidInput) { try await queue.record(NoiseCamera(pictures: 30), model: model) }
        #expect(try rig.store.content().isEmpty)
        let photo = try await queue.add(SampleContent())
        try await queue.run(untilEmpty: true)
        #expect(try await queue.capture(photo.id).state == .uploaded)
    }

    @Test("sends everything else when a recording cannot become a capture, which stays")
    func unreadable() async throws {
        let writer = try RecordingWriter(
            try await rig.store.open().files.createLog(SealedItem(LocalID(), .recording)), recording: Array("{}".utf8), isQuickTime: false,
            depthWidth: 4, depthHeight: 4, privacy: nil)
        try writer.note(.pictures(.init(try #require(PlainEncoder().format))))
        for sample in try PlainEncoder().encode([1, 2, 3], at: 0) { try writer.append(sample) }
        let queue = try await rig.queue()
        let photo = try await queue.add(SampleContent())
        try await queue.run(untilEmpty: true)
        #expect(try await queue.capture(photo.id).state == .uploaded)
        #expect(try rig.store.content().contains { $0.hasSuffix(".recording") })
    }

    @Test("ends a recording before its depth is more than the server takes")
    func muchDepth() async throws {
        let capture = try await rig.queue().record(NoiseCamera(pictures: 60, depthSide: 1024))
        let facts = try #require(capture.facts.video)
        #expect(facts.frameCount == 33 && facts.depthCount == 11 && !facts.isPartial)
    }

    @Test("is exported whole where an export was cut off")
    func exportedAgain() async throws {
        let queue = try await rig.queue()
        let capture = try await queue.record(NoiseCamera(pictures: 30))
        let path = rig.store.folder.path + "/video.mp4"
        for name in [path, path + ".new"] { try Data([1]).write(to: URL(fileURLWithPath: name)) }
        try queue.export(.video, of: capture.id, to: path)
        let file = try #require(FileManager.default.contents(atPath: path))
        #expect(ContentDigest(of: file) == capture.facts.photoDigest)
        #expect(!FileManager.default.fileExists(atPath: path + ".new"))
    }

    @Test("lends no video to the system, which would be plain on the disk")
    func notLent() async throws {
        let queue = try await rig.queue()
        let capture = try await queue.record(NoiseCamera(pictures: 30))
        await #expect(throws: StoreError.staysSealed) { try await queue.lendForBackground(capture.id) }
    }

    @Test("keeps chain, metadata and facts when a week has passed, and nothing when it is deleted")
    func expiry() async throws {
        let queue = try await rig.queue()
        let capture = try await queue.record(NoiseCamera(pictures: 30))
        try await queue.run(untilEmpty: true)
        try await rig.clock.sleep(for: .seconds(8 * 86_400))
        try await queue.run(untilEmpty: true)
        let expired = try await queue.capture(capture.id)
        #expect(!expired.hasContent && Set(expired.sizes.keys) == [.hashChain, .metadata, .assertion])
        try await queue.store.expectWhole("after a week")
        try await queue.delete(capture.id)
        #expect(try rig.store.content().isEmpty)
    }
}

extension CaptureQueue {
    fileprivate func digest(_ kind: SealedKind, of capture: StoredCapture) throws -> ContentDigest {
        ContentDigest(of: try content(kind, of: capture.id))
    }
}
