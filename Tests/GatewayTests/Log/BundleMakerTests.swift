import CaptureProtocol
import Foundation
import HTTPTypes
import HummingbirdCore
import Models
import ObjectStorage
import TestSupport
import Testing
import TransparencyLog

@testable import Gateway

@Suite("Making of evidence bundles")
struct BundleMakerTests {
    /// A capture, and a log that has its first statement behind so many other leaves.
    private struct Logged {
        var log: LogFixture
        let capture: StatedCaptureFixture
        let first: StoredStatement

        /// - Parameter later: how many seconds after the log's usual time the statement was made.
        init(after count: Int, later: Int = 0) throws {
            log = try LogFixture()
            capture = try StatedCaptureFixture()
            first = try capture.assessment(later: later)
            log.fill(to: count)
            log.add(first)
        }

        /// Publishes all leaves, with a checkpoint that a quorum of witnesses signed.
        mutating func publish() async throws {
            try await log.publish()
            try log.cosign(by: [0, 1])
        }

        func bundle(isOwned: Bool = false) async throws -> (bundle: EvidenceBundle, media: NamedMedia?) {
            try await maker(log, capture).bundle(of: try capture.row(), isOwned: isOwned, at: now)
        }
    }

    @Test("a public bundle is proved by the policy, and has nothing of the device", arguments: [2, 300])
    func proved(size: Int) async throws {
        var logged = try Logged(after: size - 1)
        logged.log.fill(to: size + 5)
        try await logged.publish()
        let made = try await logged.bundle()
        #expect(made.bundle.owner == nil && made.bundle.manifest == logged.capture.manifest && made.bundle.media.isEmpty)
        #expect(made.media?.name == .signedCopy)
        let report = await BundleVerifier(policy: logged.log.policy).verify(try made.bundle.bytes())
        #expect(report.outcome == .proved, "\(report.checks)")
        #expect(report.entry?.index == UInt64(size - 1) && report.entry?.treeSize == UInt64(size + 5))
        #expect(report.entry?.witnessedAt == UInt64(LogFixture.time + 2))
    }

    @Test("the owner's bundle opens what the statement commits to, and nothing else")
    func owners() async throws {
        var logged = try Logged(after: 1)
        let capture = logged.capture
        logged.log.own(
            OwnedParts(
                kind: .photo, metadata: capture.metadata, assertion: Array("another".utf8), attestation: capture.attestation,
                clientDataHash: ContentDigest(of: [1])), of: capture.capture)
        try await logged.publish()
        let owner = try #require(try await logged.bundle(isOwned: true).bundle.owner)
        #expect(owner.raw == capture.raw && owner.signed == .metadata(capture.metadata) && owner.attestation == capture.attestation)
        #expect(owner.clientDataHash == ContentDigest(of: [1]) && owner.assertion == nil)
        #expect(owner.photo == nil && owner.depth == nil)
    }

    @Test("a file goes into the archive without being in memory, and comes out of it the same")
    func media() async throws {
        var logged = try Logged(after: 1)
        let capture = logged.capture
        logged.log.own(capture.owned, of: capture.capture)
        try await logged.publish()
        let made = try await logged.bundle(isOwned: true)
        var file = BundledFile(name: "c2pa.jpg")
        for piece in [capture.copy.prefix(5), capture.copy.dropFirst(5)] { file.append(piece) }
        let parts = try made.bundle.bytes(around: file)
        let read = try EvidenceBundle(parts.head + capture.copy + parts.tail)
        #expect(read.media == ["c2pa.jpg": capture.copy] && read.owner != nil)
        var whole = made.bundle
        whole.media = ["c2pa.jpg": capture.copy]
        #expect(try whole.bytes() == parts.head + capture.copy + parts.tail)
        let report = await BundleVerifier(policy: logged.log.policy).verify(
            parts.head + capture.copy + parts.tail, files: [GivenFile(name: "photo", bytes: capture.photo)])
        #expect(report.outcome == .proved, "\(report.checks)")
    }

    @Test("a checkpoint with a time stamp is preferred; else the earliest with a quorum is taken")
    func checkpoints() async throws {
        var logged = try Logged(after: 1)
        let rounds: [(Int, [Int], [UInt8]?)] = [(3, [0], nil), (4, [0, 2], nil), (5, [0, 1, 2], nil), (9, [1, 2], [1])]
        for (size, witnesses, token) in rounds {
            logged.log.fill(to: size)
            try await logged.log.publish()
            try logged.log.cosign(by: witnesses, token: token)
        }
        let place = try #require(await logged.log.reading.last(of: logged.capture.capture)?.place)
        #expect(try await logged.log.finder.earliest(for: place)?.checkpoint.size == 4)
        #expect(try await logged.log.finder.best(for: place)?.checkpoint.size == 9)
        let bundle = try await logged.bundle().bundle
        #expect(bundle.statements.first?.timestamp == [1])
    }

    @Test("a statement of a clock that was six hours ahead is proved by the first checkpoint that witnesses saw after its time")
    func ahead() async throws {
        var logged = try Logged(after: 1, later: 21_600)
        try await logged.publish()
        let early = logged
        let problem = await #expect(throws: NotLogged.self) { try await early.bundle() }
        #expect(problem?.reason == .unwitnessed)
        for (size, later) in [(5, 3600), (6, 21_600), (7, 21_700)] as [(Int, UInt64)] {
            logged.log.fill(to: size)
            try await logged.log.publish()
            try logged.log.cosign(by: [0, 1], later: later)
        }
        let report = await BundleVerifier(policy: logged.log.policy).verify(try await logged.bundle().bundle.bytes())
        #expect(report.outcome == .proved, "\(report.checks)")
        #expect(report.entry?.treeSize == 6)
    }

    @Test(
        "clocks may differ by five minutes: the first witness signs a second after the log's time",
        arguments: [(301, 2), (302, 5)] as [(Int, UInt64)])
    func tolerance(later: Int, size: UInt64) async throws {
        var logged = try Logged(after: 1, later: later)
        try await logged.publish()
        logged.log.fill(to: 5)
        try await logged.log.publish()
        try logged.log.cosign(by: [0, 1], later: 60)
        let report = await BundleVerifier(policy: logged.log.policy).verify(try await logged.bundle().bundle.bytes())
        #expect(report.outcome == .proved, "\(report.checks)")
        #expect(report.entry?.treeSize == size)
    }

    @Test("the first quorum is found behind many checkpoints without one")
    func away() async throws {
        var logged = try Logged(after: 1)
        for size in 3...60 {
            logged.log.fill(to: size)
            try logged.log.cosign(by: size < 50 ? [1] : [1, 2])
        }
        try await logged.log.publish()
        let place = try #require(await logged.log.reading.last(of: logged.capture.capture)?.place)
        #expect(try await logged.log.finder.earliest(for: place)?.checkpoint.size == 50)
    }

    @Test("partial tiles that were swept are read from the full one")
    func swept() async throws {
        var logged = try Logged(after: 10)
        try await logged.publish()
        logged.log.fill(to: 300)
        try await logged.log.publish()
        try await logged.log.store.delete([LogFixture.key(try Tile(.hashes(level: 0), index: 0, width: 11))])
        let bundle = try await logged.bundle().bundle
        #expect(await BundleVerifier(policy: logged.log.policy).verify(try bundle.bytes()).outcome == .proved)
    }

    @Test("a tile that is not the log's makes no bundle")
    func damaged() async throws {
        var logged = try Logged(after: 10)
        try await logged.publish()
        let key = LogFixture.key(try Tile(.hashes(level: 0), index: 0, width: 11))
        var bytes = try #require(logged.log.store.bytes(key))
        bytes[40] ^= 1
        try await logged.log.store.put(key, bytes: bytes, contentType: "application/octet-stream")
        let damaged = logged
        await #expect(throws: BundleMaker.Damaged.self) { try await damaged.bundle() }
    }

    @Test("a revocation is in the bundle, and says so")
    func revoked() async throws {
        var logged = try Logged(after: 1)
        logged.log.add(try logged.capture.revocation(after: logged.first))
        try await logged.publish()
        let bundle = try await logged.bundle().bundle
        let report = await BundleVerifier(policy: logged.log.policy).verify(try bundle.bytes())
        #expect(report.outcome == .wrong && report.revocation?.reason == "device_revoked")
    }

    enum Delay: CaseIterable {
        case processing, failed, unstated, unentered, held, unpublished, unwitnessed, frozen, frozenUnwitnessed
    }

    @Test("as long as there is no bundle, the reason is told", arguments: Delay.allCases)
    func notYet(delay: Delay) async throws {
        var log = try LogFixture()
        let capture = try StatedCaptureFixture()
        log.fill(to: 3)
        try await log.publish()
        let reason: NotLoggedReason
        var status = "complete"
        switch delay {
        case .processing: (status, reason) = ("processing", .processing)
        case .failed: (status, reason) = ("failed", .failed)
        case .unstated: reason = .pending
        case .unentered:
            log.add(try capture.assessment(), isEntered: false)
            reason = .pending
        case .held:
            log.add(try capture.assessment(notBefore: now.addingTimeInterval(100)), isEntered: false)
            reason = .held
        case .unpublished:
            log.add(try capture.assessment())
            reason = .pending
        case .unwitnessed:
            log.add(try capture.assessment())
            try await log.publish()
            try log.cosign(by: [2])
            reason = .unwitnessed
        case .frozen:
            log.add(try capture.assessment(), isEntered: false)
            log.freeze()
            reason = .frozen
        case .frozenUnwitnessed:
            log.add(try capture.assessment())
            try await log.publish()
            log.freeze()
            reason = .frozen
        }
        let row = try capture.row(status)
        let problem = await #expect(throws: NotLogged.self) { try await maker(log, capture).bundle(of: row, isOwned: false, at: now) }
        #expect(problem?.reason == reason)
        if delay == .held { #expect(problem?.retrySeconds == 100) }
    }

    @Test("the refusal has its reason in details, and says when to ask again", arguments: NotLoggedReason.allCases)
    func envelope(reason: NotLoggedReason) async throws {
        let refusal = try #require(APIError(refusal: NotLogged(reason, until: now.addingTimeInterval(7), at: now)))
        for accept in ["application/json", "application/problem+json"] {
            let response = Envelope.failure(refusal, request: makeRequest(.get, "/", [.accept: accept]), context: makeContext())
            #expect(response.status == .conflict && response.headers[.retryAfter].flatMap { Int($0) } ?? 0 > 0)
            let body = try await response.json()
            let error = body["error"] as? [String: Any] ?? body
            #expect(error["code"] as? String == "NOT_LOGGED_YET")
            #expect((error["details"] as? [String: Any])?["reason"] as? String == reason.rawValue)
        }
    }
}

private func maker(_ log: LogFixture, _ capture: StatedCaptureFixture) async throws -> BundleMaker {
    BundleMaker(
        log: log.reading, finder: log.finder, tiles: log.tiles, objects: try await capture.publish(in: log.store), policy: log.policy,
        publicURL: publicURL)
}
