import CSandbox
import Foundation
import Inspection
import Models
import Testing

/// Tests the pool with the inspector itself.
extension InspectionSuite {
    @Test("passes its own test of the sandbox")
    func selfTest() async throws { try await Fixtures.pool().selfTest() }

    @Test("would fail that test outside the sandbox")
    func breach() { #expect(rial_sandbox_breach() != nil) }

    @Test("fails its own test with anchors that are no certificates")
    func refusesAnchors() async throws {
        let anchors = try TemporaryFile(Array("nonsense".utf8))
        let pool = InspectorPool(executable: Fixtures.inspector, trustAnchorsFile: anchors.path, concurrency: 1, waiting: 0)
        await #expect(throws: InspectionError.self) { try await pool.selfTest() }
    }

    @Test("distinguishes a trusted signer, an unknown one and a changed file")
    func reads() async throws {
        let bytes = try Fixtures.resource("signed.jpg")
        let file = try TemporaryFile(bytes)
        var changed = bytes
        changed[changed.count - 4] ^= 1
        let changedFile = try TemporaryFile(changed)
        let stranger = InspectorPool(executable: Fixtures.inspector, trustAnchorsFile: nil, concurrency: 1, waiting: 0)
        #expect(try await Fixtures.pool().state(of: file) == .trusted)
        #expect(try await stranger.state(of: file) == .valid)
        #expect(try await Fixtures.pool().state(of: changedFile) == .invalid)
    }

    @Test("does not fetch a manifest from the address that a file names")
    func staysOffline() async throws {
        let listener = try #require(Listener())
        // Ephemeral ports have five digits, so that no length in the file changes.
        var bytes = Data(try Fixtures.resource("remote.jpg"))
        let place = try #require(bytes.range(of: Data(":18399".utf8)))
        let port = Data(":\(listener.port)".utf8)
        try #require(port.count == place.count)
        bytes.replaceSubrange(place, with: port)
        let file = try TemporaryFile(bytes)
        let outcome = try await Fixtures.pool().inspect(fileDescriptor: file.descriptor, mediaType: "image/jpeg")
        guard case .report(let report) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(report.state == .remote)
        #expect(report.remoteURL == "http://127.0.0.1:\(listener.port)/remote.c2pa")
        #expect(!listener.hasCaller)
        // The listener works, so the test can fail.
        #expect(listener.call())
        #expect(listener.hasCaller)
    }

    @Test("reports on every hostile file within its limits, and on the next good one as usual", arguments: HostileFile.all)
    func survives(hostile: HostileFile) async throws {
        let file = try TemporaryFile(try hostile.bytes())
        let pool = Fixtures.pool()
        for mediaType in [hostile.mediaType, nil] {
            let start = ContinuousClock.now
            let outcome = try await pool.inspect(fileDescriptor: file.descriptor, mediaType: mediaType)
            #expect(start.duration(to: .now) < InspectionLimits().wallClock + .seconds(20))
            switch outcome {
            case .report(let report): #expect(report.state != .trusted && report.state != .valid)
            // A limit that the file reaches is an answer; that the inspector dies of it is none.
            case .unreadable(let reason): #expect(reason != .crash && reason != .garbledAnswer)
            }
        }
        #expect(try Fixtures.children().isEmpty)
        #expect(try await pool.state(of: try TemporaryFile(try Fixtures.resource("signed.jpg"))) == .trusted)
    }

    @Test("reports on a PDF although it cannot create threads", arguments: ["application/pdf", "image/jpeg"])
    func readsPDF(mediaType: String) async throws {
        let file = try TemporaryFile(HostileFile.pdf)
        let outcome = try await Fixtures.pool().inspect(fileDescriptor: file.descriptor, mediaType: mediaType)
        #expect(outcome == .report(CredentialReport(state: .none)))
    }

    @Test("distinguishes our own signers from listed ones")
    func tellsOwn() async throws {
        let file = try TemporaryFile(try Fixtures.resource("signed.jpg"))
        let pools = [
            (InspectorPool(executable: Fixtures.inspector, trustAnchorsFile: Fixtures.rootFile, concurrency: 1, waiting: 0), "listed"),
            (
                InspectorPool(
                    executable: Fixtures.inspector, trustAnchorsFile: nil, ownAnchorsFile: Fixtures.rootFile, concurrency: 1, waiting: 0),
                "own"
            ),
        ]
        for (pool, voucher) in pools {
            guard case .report(let report) = try await pool.inspect(fileDescriptor: file.descriptor, mediaType: nil) else {
                Issue.record("no report")
                continue
            }
            #expect(report.state == .trusted && report.voucher?.rawValue == voucher)
        }
    }

    @Test("reports when a file needs too much memory")
    func boundsMemory() async throws {
        let file = try TemporaryFile(try HostileFile.padded())
        let outcome = try await Fixtures.pool(limits: InspectionLimits(memoryBytes: 128 << 20))
            .inspect(fileDescriptor: file.descriptor, mediaType: "image/jpeg")
        #expect(outcome == .unreadable(reason: .memory))
        #expect(try await Fixtures.pool().state(of: file) == .invalid)
    }

    @Test("inspects a hundred files at once")
    func concurrent() async throws {
        let file = try TemporaryFile(try Fixtures.resource("signed.jpg"))
        let pool = Fixtures.pool(concurrency: 4, waiting: 100)
        try await withThrowingTaskGroup(of: CredentialReport.State?.self) { group in
            for _ in 0..<100 { group.addTask { try await pool.state(of: file) } }
            for try await state in group { #expect(state == .trusted) }
        }
        #expect(try Fixtures.children().isEmpty)
    }
}

extension InspectorPool {
    /// `nil` without a report.
    fileprivate func state(of file: TemporaryFile) async throws -> CredentialReport.State? {
        guard case .report(let report) = try await inspect(fileDescriptor: file.descriptor, mediaType: "image/jpeg") else { return nil }
        return report.state
    }
}
