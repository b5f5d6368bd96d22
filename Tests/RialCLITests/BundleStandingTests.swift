import CaptureProtocol
import Foundation
import Testing
import TransparencyLog

@testable import RialCLI

@Suite("What a log holds beside a bundle")
struct BundleStandingTests {
    private static let subject = 5000

    private struct Made: Sendable {
        let log: PublishedLog
        let file: URL
        let origin: TextLine
    }

    /// A log of 20 entries with a statement at index 10, and a bundle of it.
    private static func made(index: UInt64 = 10) throws -> Made {
        var log = try PublishedLog()
        log.add((1..<10).map { PublishedLog.leaf($0) })
        guard case .entry(_, _, let subject, _) = PublishedLog.leaf(0, subject: subject) else { throw CocoaError(.coderInvalidValue) }
        let salt = try #require(Salt(bytes: Array(repeating: 3, count: 32)))
        let capture = try #require(CaptureID("0f0e0d0c-0b0a-4908-8706-050403020100"))
        let statement = try Statement(
            .revocation(reason: "device_revoked"), capture: capture, subject: subject, sequence: 1, time: 1_793_534_410,
            previous: .init(of: [1]))
        log.add([statement.leaf(salt: salt)])
        log.add((11..<20).map { PublishedLog.leaf($0) })
        try log.publish()
        let proof = try TransparencyProof(extra: salt.bytes, index: index, inclusion: InclusionProof(hashes: []), note: log.note())
        let bundle = EvidenceBundle(statements: [.init(statement: statement, evidence: nil, proof: proof.bytes, timestamp: nil)])
        let file = log.path("bundle.rial")
        try Data(bundle.bytes()).write(to: file)
        return Made(log: log, file: file, origin: log.key.verifier.name)
    }

    private static func lines(_ rig: MonitorRig, _ made: Made) async throws -> [String] {
        let monitoring = try rig.monitoring()
        _ = try await monitoring.round(at: 1)
        let standing = try BundleStanding(made.file.path, policy: rig.policy, origin: made.origin)
        let size = try await monitoring.round(at: 1, also: standing.trees).tree.size
        return try await standing.compare(size: size, all: monitoring.records(of: standing.subject)) { try await monitoring.record(at: $0) }
    }

    @Test("a bundle with all that the log has lacks nothing")
    func complete() async throws {
        let made = try Self.made()
        try await MonitorRig.with(made.log) { rig, _ in
            let lines = try await Self.lines(rig, made)
            #expect(lines == ["the log has nothing about the bundle's subject that is not in the bundle"])
        }
    }

    @Test("what came later is named", arguments: [LogLeaf.Kind.reassessment, .revocation, .withdrawal])
    func later(kind: LogLeaf.Kind) async throws {
        let made = try Self.made()
        try await MonitorRig.with(made.log) { rig, _ in
            var log = made.log
            log.add([PublishedLog.leaf(30, kind: kind, subject: Self.subject)])
            try log.publish(from: 20)
            let lines = try await Self.lines(rig, made)
            #expect(lines == ["not in the bundle: \(kind.rawValue), entry 20, 2026-11-01T12:00:30Z"])
        }
    }

    @Test("of a shard that has ended, what came later may be in another")
    func ended() async throws {
        let made = try Self.made()
        try await MonitorRig.with(made.log) { rig, _ in
            var log = made.log
            log.add([.end(next: log.key.verifier)])
            try log.publish(from: 20)
            let lines = try await Self.lines(rig, made)
            #expect(lines.last == "unchecked: the shard has ended; monitor the later ones too" && lines.count == 2)
        }
    }

    @Test("a statement that is not where its proof says is a defect")
    func elsewhere() async throws {
        let made = try Self.made(index: 11)
        try await MonitorRig.with(made.log) { rig, _ in
            let defect = try await #require(throws: LogDefect.self) { try await Self.lines(rig, made) }
            #expect(defect.kind == .notLogged)
        }
    }

    @Test("a log that is a moment behind the bundle lacks its statement or its tree for now", arguments: [10, 15])
    func behind(size: Int) async throws {
        let made = try Self.made()
        try await MonitorRig.with(made.log) { rig, _ in
            var smaller = made.log
            smaller.cut(to: size)
            try smaller.publish()
            let defect = try await #require(throws: LogDefect.self) { try await Self.lines(rig, made) }
            #expect(defect.kind == .missing && defect.passes)
            try made.log.publish()
            let lines = try await Self.lines(rig, made)
            #expect(lines == ["the log has nothing about the bundle's subject that is not in the bundle"])
        }
    }

    @Test("a bundle of another tree proves a fork")
    func fork() async throws {
        let made = try Self.made()
        try await MonitorRig.with(made.log) { rig, _ in
            var other = made.log
            other.replace(3, with: PublishedLog.leaf(9000))
            other.add((20..<30).map { PublishedLog.leaf($0) })
            try other.publish()
            await #expect(throws: ForkEvidence.self) { try await Self.lines(rig, made) }
        }
    }

    @Test("a file that is no bundle is refused")
    func noBundle() async throws {
        let made = try Self.made()
        defer { made.log.remove() }
        try Data("PK".utf8).write(to: made.file)
        #expect(throws: CommandFailure.self) { try BundleStanding(made.file.path, policy: made.log.policy(), origin: made.origin) }
    }
}
