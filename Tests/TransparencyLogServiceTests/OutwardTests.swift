import AsyncHTTPClient
import CaptureProtocol
import Foundation
import ServiceRuntime
import TestSupport
import Testing

@testable import TransparencyLog
@testable import TransparencyLogService

@Suite("Witnesses and time-stamp authorities over HTTP")
struct OutwardTests {
    @Test("a checkpoint is submitted as a witness reads it, and its answer is cosigned")
    func witness() async throws {
        let rig = try LogRig(witnesses: ["w"], quorum: 1)
        let witness = rig.witnesses[0]
        let server = try LoopbackServer.waiting { body in
            guard let submission = try? CheckpointSubmission(body) else { return (400, []) }
            return (try? await witness.add(submission)).map { ($0.status, $0.body) }
        }
        let key = witness.witness.key
        let policy = try TrustPolicy(
            Array("log \(rig.key.verifier)\nwitness w \(key) http://127.0.0.1:\(server.port)/prefix/\nquorum w\n".utf8))
        let outward = HTTPClientService(outwardTimeout: .seconds(30))
        let connection = try #require(HTTPWitness(policy.witnesses[0], client: outward.client, timeout: .seconds(30)))
        #expect(connection.address == "http://127.0.0.1:\(server.port)/prefix/add-checkpoint")
        let panel = WitnessPanel(policy: policy, connections: [connection], timeout: .seconds(30), now: { rig.now }, logger: .quiet)
        let sequencer = Sequencer(
            repository: rig.log, store: rig.store, signer: TestSigner(key: rig.key), panel: panel, now: { rig.now }, logger: .quiet)
        rig.add(0..<5)
        try await rig.drain(sequencer)
        try await outward.client.shutdown()
        let validated = try policy.validate(try SignedNote(try #require(rig.store.bytes(rig.objects.checkpointKey))))
        #expect(validated.checkpoint.size == 6 && validated.cosigners.count == 1 && witness.latest == validated.checkpoint.head)
    }

    @Test("a witness that closes the connection, or answers without end, is a failure and nothing else")
    func failures() async throws {
        for answer: LoopbackServer.Answer? in [nil, (200, [UInt8](repeating: 65, count: 200_000)), (302, [])] {
            let rig = try LogRig(witnesses: ["w"], quorum: 1)
            let server = try LoopbackServer { _ in answer }
            let url = "http://127.0.0.1:\(server.port)"
            let witness = TrustedWitness(name: Array("w".utf8), key: rig.witnesses[0].witness.key, url: url)
            let outward = HTTPClientService(outwardTimeout: .seconds(2))
            let connection = try #require(HTTPWitness(witness, client: outward.client, timeout: .seconds(2)))
            let panel = WitnessPanel(policy: rig.policy, connections: [connection], timeout: .seconds(2), now: { rig.now }, logger: .quiet)
            let sequencer = Sequencer(
                repository: rig.log, store: rig.store, signer: TestSigner(key: rig.key), panel: panel, now: { rig.now }, logger: .quiet)
            rig.add(0..<5)
            try await rig.drain(sequencer)
            try await outward.client.shutdown()
            try await rig.expectSound(0..<5)
            #expect(rig.log.rows.cosignatures.values.allSatisfy { $0.values.allSatisfy(\.isEmpty) })
        }
    }

    @Test("an authority that answers byte by byte has refused once the time for head and body is over")
    func drip() async throws {
        let server = try DrippingServer()
        try await withClient { client in
            let authority = HTTPTimestampAuthority(address: server.url, client: client.client, timeout: .seconds(1))
            await #expect(throws: CheckpointStamper.Refused.self) { _ = try await authority.stamp([0x30, 0]) }
        }
        withExtendedLifetime(server) {}
    }

    @Test("a policy's witness without an address of http is not asked", arguments: [nil, "", "ftp://witness.example", "witness.example"])
    func address(url: String?) throws {
        let rig = try LogRig(witnesses: ["w"], quorum: 1)
        let outward = HTTPClientService(outwardTimeout: .seconds(1))
        defer { try? outward.client.syncShutdown() }
        let witness = TrustedWitness(name: Array("w".utf8), key: rig.witnesses[0].witness.key, url: url)
        #expect(HTTPWitness(witness, client: outward.client, timeout: .seconds(1)) == nil)
    }
}

/// A client that is shut down even after a failure.
private func withClient<T>(timeout: Duration = .seconds(20), _ body: (HTTPClientService) async throws -> T) async throws -> T {
    let client = HTTPClientService(outwardTimeout: timeout)
    let result: Result<T, any Error>
    do { result = .success(try await body(client)) } catch { result = .failure(error) }
    try await client.client.shutdown()
    return try result.get()
}

@Suite("Time stamps on checkpoints", .enabled(if: OpenSSL.isPresent, "openssl is missing"))
struct StamperTests {
    private func stamper(
        _ rig: LogRig, _ authority: TimestampAuthority, _ client: HTTPClientService, anchors: String? = nil, address: URL? = nil
    ) throws -> CheckpointStamper {
        CheckpointStamper(
            repository: rig.log,
            panel: WitnessPanel(policy: rig.policy, connections: [], timeout: .seconds(1), now: { rig.now }, logger: .quiet),
            authority: HTTPTimestampAuthority(address: address ?? authority.url, client: client.client),
            anchors: try TimestampAnchors(pem: anchors ?? authority.rootPEM), interval: 3600, nonce: { Array(1...16) }, logger: .quiet)
    }

    /// A log with a checkpoint to stamp, and a stamper that does not trust the authority that it asks.
    private func mistrusting(
        _ client: HTTPClientService
    ) async throws -> (rig: LogRig, authority: TimestampAuthority, stamper: CheckpointStamper) {
        let rig = try LogRig()
        let (authority, other) = (try TimestampAuthority(), try TimestampAuthority())
        rig.add(0..<5)
        try await rig.drain(rig.sequencer())
        return (rig, authority, try stamper(rig, authority, client, anchors: other.rootPEM))
    }

    @Test("the newest checkpoint with a quorum gets a token, once an hour, over the note as the log alone signed it")
    func stamps() async throws {
        try await withClient { client in
            let rig = try LogRig()
            let authority = try TimestampAuthority()
            let sequencer = rig.sequencer()
            rig.add(0..<5)
            try await rig.drain(sequencer)
            for witness in rig.witnesses { witness.behave(.unreachable) }
            rig.add(5..<10)
            try await rig.drain(sequencer)
            let stamper = try stamper(rig, authority, client)
            try await stamper.stamp(at: Date())
            let tokens = try #require(rig.log.rows.tokens[rig.origin])
            #expect(Array(tokens.keys) == [6], "that of 11 leaves has no quorum")
            let note = try #require(rig.log.rows.checkpoints[rig.origin]?[6]?.note)
            let answer = try TimestampAnswer(try #require(tokens[6]?.token))
            let verdict = await answer.verify(
                imprint: .init(of: note.bytes), nonce: nil, anchors: try TimestampAnchors(pem: authority.rootPEM))
            #expect(verdict == .verified(time: try #require(tokens[6]?.time)))
            let asked = authority.requests
            for witness in rig.witnesses { witness.behave(.honest) }
            rig.add(10..<12)
            try await rig.drain(sequencer)
            rig.advance(61)
            try await sequencer.askAside()
            try await rig.drain(sequencer)
            try await stamper.stamp(at: Date())
            #expect(authority.requests == asked, "not within the hour")
            try await stamper.stamp(at: Date().addingTimeInterval(3700))
            #expect(rig.log.rows.tokens[rig.origin]?.count == 2)
            try await stamper.stamp(at: Date().addingTimeInterval(9000))
            #expect(rig.log.rows.tokens[rig.origin]?.count == 2, "nothing is new")
        }
    }

    @Test("no token is asked of a note that is not the one that was signed, which recovery replaces")
    func damaged() async throws {
        try await withClient { client in
            let (rig, authority) = (try LogRig(), try TimestampAuthority())
            rig.add(0..<5)
            try await rig.drain(rig.sequencer())
            let stamper = try stamper(rig, authority, client)
            let note = try #require(rig.log.rows.checkpoints[rig.origin]?[6]?.note)
            rig.log.damageNote(of: 6, rig.origin, try note.falsified(for: rig.key.verifier))
            try await stamper.stamp(at: Date())
            #expect(rig.log.rows.tokens[rig.origin]?[6] == nil)
            rig.log.damageNote(of: 6, rig.origin, note)
            try await stamper.stamp(at: Date().addingTimeInterval(3700))
            #expect(rig.log.rows.tokens[rig.origin]?[6] != nil)
        }
    }

    @Test("an authority whose answers are not kept is asked less and less often")
    func pauses() async throws {
        try await withClient { client in
            let (_, authority, strict) = try await mistrusting(client)
            var refused: [Int] = []
            for seconds in stride(from: 0, through: 300, by: 10) {
                let time = LogRig.start.addingTimeInterval(TimeInterval(seconds))
                do { try await strict.stamp(at: time) } catch { refused.append(seconds) }
            }
            #expect(refused == [0, 10, 30, 70, 150] && authority.requests == 5)
            for minutes in [10, 24 * 60] {
                let earlier = LogRig.start.addingTimeInterval(TimeInterval(-60 * minutes))
                await #expect(throws: CheckpointStamper.Refused.self, "also after a clock that was ahead") {
                    try await strict.stamp(at: earlier)
                }
            }
        }
    }

    @Test("an answer that does not verify is not kept, and an authority that is away is asked again")
    func refused() async throws {
        try await withClient { client in
            let (rig, authority, strict) = try await mistrusting(client)
            await #expect(throws: CheckpointStamper.Refused.self) { try await strict.stamp(at: Date()) }
            let stamper = try stamper(rig, authority, client)
            authority.close()
            await #expect(throws: (any Error).self) { try await stamper.stamp(at: Date()) }
            #expect(rig.log.rows.tokens.isEmpty)
            try authority.open()
            try await stamper.stamp(at: Date().addingTimeInterval(10))
            #expect(rig.log.rows.tokens[rig.origin]?.count == 1)
        }
    }
}
