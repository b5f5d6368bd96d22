import CaptureProtocol
import Delivery
import Foundation
import Logging
import Models
import Persistence
import TestSupport
import Testing
import TransparencyLog

@testable import TransparencyLogService

@Suite("Statements of announced captures")
struct LogStatementsTests {
    private let log = MemoryLog()
    private let capture = CaptureID()

    private func announce(_ capture: CaptureID, _ status: CaptureStatus = .complete, _ event: EventID = EventID()) async throws {
        let message = EvidenceAssembled(
            captureID: capture, status: status, confidenceLevel: status == .complete ? .high : nil, failure: nil)
        try await LogStatements(pending: log, logger: .quiet).handle(
            message, MessageContext(eventID: event, topic: .evidenceAssembled, logger: .quiet))
    }

    private var waiting: [[UInt8]] { log.rows.pending.map(\.commitment) }

    @Test("wait once, however often the capture is announced")
    func once() async throws {
        let made = (0..<2).map { StatedLeaf(of: capture, sequence: $0, secondsAgo: 30 - $0) }
        for leaf in made { log.make(leaf) }
        let event = EventID()
        for event in [event, event, EventID()] { try await announce(capture, .complete, event) }
        #expect(waiting == made.map(\.commitment))
    }

    @Test("are those that were made, whatever a record says", arguments: [CaptureStatus.complete, .failed, .processing, .withdrawn])
    func forged(status: CaptureStatus) async throws {
        let own = StatedLeaf(of: capture)
        log.make(own)
        try await announce(CaptureID(), status)
        #expect(waiting.isEmpty, "of a capture that is none")
        try await announce(capture, status)
        #expect(waiting == [own.commitment])
    }

    @Test("say so when the capture is withdrawn")
    func withdrawn() async throws {
        let own = StatedLeaf(of: capture)
        log.make(own)
        try await announce(capture)
        log.withdraw(capture)
        try await announce(capture, .withdrawn)
        guard case .entry(.withdrawal, _, let subject, _)? = log.rows.pending.last?.leaf else {
            Issue.record("no withdrawal waits")
            return
        }
        guard case .entry(_, _, let known, _) = own.leaf else { return }
        #expect(waiting.count == 2 && subject == known)
    }

    @Test("wait after all when the record comes again to a database that is back")
    func unavailable() async throws {
        let own = StatedLeaf(of: capture)
        log.make(own)
        let event = EventID()
        log.fail(true)
        await #expect(throws: PostgresError.self) { try await announce(capture, .complete, event) }
        log.fail(false)
        #expect(waiting.isEmpty)
        try await announce(capture, .complete, event)
        #expect(waiting == [own.commitment])
    }

    @Test("are entered and published once, also if the capture is announced again later")
    func published() async throws {
        let rig = try LogRig(witnesses: [])
        let own = StatedLeaf(of: capture)
        rig.log.make(own)
        // A statement is not entered before its time.
        rig.advance(Date().timeIntervalSince(rig.now))
        let handler = LogStatements(pending: rig.log, logger: .quiet)
        let message = EvidenceAssembled(captureID: capture, status: .complete, confidenceLevel: .low, failure: nil)
        for _ in 0..<2 {
            try await handler.handle(message, MessageContext(eventID: EventID(), topic: .evidenceAssembled, logger: .quiet))
            try await rig.drain(rig.sequencer())
            rig.log.endSessions()
        }
        #expect(rig.log.rows.announced == [own.commitment] && rig.log.rows.pending.isEmpty)
    }
}
