import CaptureProtocol
import Foundation
import Synchronization
import Testing

@testable import CaptureKit

/// Everything that captures go through in a folder, in one process after the other: the first is killed.
struct StoreLife {
    /// The library's fail points but those of the registration.
    static let points =
        ["seal.written", "seal.synced", "seal.renamed", "seal.folder-synced"]
        + [
            "folders", "migrated", "key", "swept", "original-sealed", "sealed", "row", "assertion-sealed", "row-deleted", "deleted",
            "expired", "lent",
            "lent-written", "lent-removed", "loan-ended",
        ].map { "store.\($0)" }
        + ["reset", "uploading", "signed", "upload-answered", "upload-kept", "answered", "recorded"].map { "queue.\($0)" }
        + CaptureState.allCases.map { "state.\($0.rawValue)" }

    let folder: String
    private let clock = JumpingClock()
    private let signing = ScriptedSigning()

    init(folder: String) { self.folder = folder }

    /// Lives until it reaches a point, and is killed there.
    /// - Parameter visit: how often it reaches the point.
    func live(untilKilledAt point: String, visit: Int) async throws {
        let left = Mutex(visit)
        let failPoints = FailPoints { name in
            guard name == point else { return }
            let isLast = left.withLock { left in
                left -= 1
                return left == 0
            }
            if isLast { kill(getpid(), SIGKILL) }
        }
        try await live(failPoints)
    }

    private func live(_ failPoints: FailPoints) async throws {
        let server = server()
        let queue = try await queue(server, failPoints)
        // Sent with an assertion that its device made later; and after the server refused it.
        let failure = CaptureFailure(code: "assertion_failed", message: "")
        await signing.script(assertions: [.later(failure)])
        let unsigned = try await add(to: queue)
        await server.script(QueueRig.uploads, .answer(.error(422, "INVALID_METADATA")))
        try await add(to: queue)
        await signing.script(assertions: Array(repeating: .later(failure), count: 4))
        try await queue.run(untilEmpty: true)
        try await retry(queue)
        #expect(try await queue.capture(unsigned).hasAssertion)
        // In privacy mode.
        try await addPrivate(to: queue)
        // Large.
        try await add(to: queue, photo: .noise(1 << 20))
        try await queue.run(untilEmpty: true)
        // Sent by the system; deleted; expired.
        let lent = try await queue.lendForBackground(try await add(to: queue))
        let digest = ContentDigest(of: try Data(contentsOf: URL(fileURLWithPath: lent.bodyPath)))
        try await queue.endBackgroundUpload(lent, .success(accept(digest)))
        let deleted = try await add(to: queue)
        note("deleting", deleted.description)
        try await queue.delete(deleted)
        note("deleted", deleted.description)
        try await clock.sleep(for: .seconds(8 * 86_400))
        try await queue.run(untilEmpty: true)
    }

    /// Starts again after the kill, expects that nothing is lost, doubled or left over, and lives on to the end.
    func finish() async throws {
        let queue = try await queue(server(), .none)
        try await queue.store.expectWhole("after the start")
        try await queue.store.expectLoansRecorded("after the start")
        let (added, gone) = (try notes("added"), try notes("deleted"))
        let found = Set(try await queue.store.captures().map(\.id.description))
        #expect(found.isSuperset(of: added.subtracting(try notes("deleting"))) && found.isDisjoint(with: gone))
        // One that was added, but the process was killed before it could say so.
        #expect(found.count <= added.count + 1)

        try await queue.run(untilEmpty: true)
        try await retry(queue)
        try await queue.store.expectNoLoans("after the run")
        let sent = try await queue.store.captures()
        #expect(sent.allSatisfy { $0.state == .uploaded && $0.hasAssertion })
        #expect(Set(sent.map(\.facts.photoDigest)).count == sent.count)
        #expect(Set(sent.compactMap(\.serverID?.description)) == (try notes("accepted")), "each was sent with the same bytes each time")
        try await clock.sleep(for: .seconds(16 * 86_400))
        try await queue.run(untilEmpty: true)
        for capture in try await queue.store.captures() {
            #expect(capture.hasContent == (capture.mode == .hashOnly), "in privacy mode the original stays")
        }
        try await queue.store.expectWhole("at the end")
        try await queue.store.close()
    }

    private func queue(_ server: ScriptedServer, _ failPoints: FailPoints) async throws -> CaptureQueue {
        let store = try await CaptureStore.open(
            in: folder + "/store", secrets: FolderSecureStore(folder: folder + "/keychain"), failPoints: failPoints)
        return CaptureQueue(store: store, signing: signing, transport: server, clock: clock)
    }

    @discardableResult
    private func add(to queue: CaptureQueue, photo: [UInt8] = SampleContent().photo) async throws -> LocalID {
        var content = SampleContent()
        content.photo = photo + UUID().uuidString.utf8
        let id = try await queue.add(content).id
        note("added", id.description)
        return id
    }

    private func addPrivate(to queue: CaptureQueue) async throws {
        let id = try await queue.add(try PrivateFixture.capture()).id
        note("added", id.description)
    }

    /// A person tries everything again that failed.
    private func retry(_ queue: CaptureQueue) async throws {
        for capture in try await queue.store.captures() where [.failed, .assertionFailed].contains(capture.state) {
            try await queue.retry(capture.id)
        }
        try await queue.run(untilEmpty: true)
    }

    // The server, which knows a body by its digest, and the notes, which both processes share

    private func server() -> ScriptedServer {
        // What a killed process began is forgotten: it is sent anew.
        let book = UploadBook { accept($0) }
        return ScriptedServer { request in
            if let answer = book.answer(to: request) { return answer }
            return request.method == "GET"
                ? .json(200, #"{"data":{"status":"complete","confidence_level":"high"}}"#) : accept(ContentDigest(of: request.body))
        }
    }

    private func accept(_ digest: ContentDigest) -> HTTPResponse {
        note("accepted", QueueRig.captureID(digest).description)
        return QueueRig.accepted(digest)
    }

    private func note(_ event: String, _ id: String) {
        let isNoted = FileManager.default.createFile(atPath: "\(folder)/\(event) \(id)", contents: nil)
        #expect(isNoted)
    }

    private func notes(_ event: String) throws -> Set<String> {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix(event + " ") }
        return Set(names.map { String($0.dropFirst(event.count + 1)) })
    }
}
