import CaptureProtocol
import Logging
import Models
import Synchronization
import TestSupport
import Testing

@testable import Delivery

@Suite("Handlers of received captures")
struct PartHandlerTests {
    /// Returns prepared results, and counts its calls.
    private struct Work: PartWork {
        typealias Part = DepthAnalyzed
        final class Log: Sendable {
            private let calls = Mutex<[String]>([])
            var all: [String] { calls.withLock { $0 } }
            func note(_ call: String) { calls.withLock { $0.append(call) } }
        }

        let log = Log()
        var error: (any Error)?
        var isOutdated = false

        func isOutdated(_ stored: DepthFindings, isFailed: Bool) -> Bool {
            log.note(isFailed ? "outdated, failed?" : "outdated?")
            return isOutdated
        }

        func compute(_ announcement: CaptureAnnouncement) async throws -> DepthFindings {
            log.note("compute")
            if let error { throw error }
            return PartHandlerTests.findings
        }
        func count(_ findings: DepthFindings) { log.note("count") }
    }

    private static let findings = DepthFindings(measurements: nil, unavailableReason: .noDepth, preview: nil)
    private let capture = StoredCapture.announcement(CaptureID(), by: DeviceID())
    private let parts: MemoryPartRepository<DepthAnalyzed, DepthFindings>

    init() { parts = MemoryPartRepository([capture]) }

    private func handle(_ work: Work, _ capture: CaptureID, event: EventID = EventID()) async throws {
        let context = MessageContext(eventID: event, topic: .captureReceived, logger: Logger(label: "tests"))
        try await PartHandler(work, parts: parts).handle(CaptureReceived(captureID: capture, kind: .photo), context)
    }

    @Test("a capture is answered: found out, kept, announced, counted")
    func answers() async throws {
        let work = Work()
        try await handle(work, capture.captureID)
        #expect(work.log.all == ["compute", "count"])
        #expect(parts.findings(capture.captureID) == Self.findings && parts.announced == [.done(capture.captureID)])
    }

    @Test("one that is answered already is announced again, and nothing is found out or counted twice")
    func again() async throws {
        let work = Work()
        let event = EventID()
        try await handle(Work(), capture.captureID, event: event)
        for event in [event, EventID()] { try await handle(work, capture.captureID, event: event) }
        #expect(work.log.all == ["outdated?", "outdated?"])
        #expect(parts.announced == [.done(capture.captureID), .done(capture.captureID)])
    }

    @Test("findings that are out of date are made anew, but for a capture that is complete")
    func outdated() async throws {
        try await handle(Work(), capture.captureID)
        let work = Work(isOutdated: true)
        for status in [CaptureStatus.processing, .failed, .complete] {
            parts.set(status, of: capture.captureID)
            try await handle(work, capture.captureID)
        }
        #expect(work.log.all == ["outdated?", "compute", "count", "outdated, failed?", "compute", "count"])
        #expect(parts.announced.count == 4)
    }

    @Test("an event that was answered while it was being found out counts nothing")
    func overtaken() async throws {
        let event = EventID()
        let work = Work()
        try await handle(Work(), capture.captureID, event: event)
        parts.forget(capture.captureID)
        try await handle(work, capture.captureID, event: event)
        #expect(work.log.all == ["compute"] && parts.announced.count == 1)
    }

    @Test("one that nobody accepted is rejected, and what fails leaves nothing")
    func fails() async throws {
        let work = Work()
        await #expect { try await handle(work, CaptureID()) } throws: { ($0 as? RejectedMessage)?.reason == .captureUnknown }
        #expect(work.log.all.isEmpty)
        await #expect(throws: Hiccup.self) { try await handle(Work(error: Hiccup()), capture.captureID) }
        #expect(parts.announced.isEmpty && parts.findings(capture.captureID) == nil)
    }

    @Test("one whose row announces another capture is rejected, and nothing is found out of either")
    func otherAnnounced() async throws {
        let (work, row) = (Work(), CaptureID())
        parts.add(capture, in: row)
        await #expect { try await handle(work, row) } throws: { ($0 as? RejectedMessage)?.reason == .captureUnreadable }
        #expect(work.log.all.isEmpty && parts.announced.isEmpty && parts.findings(capture.captureID) == nil)
    }

    @Test("giving up is announced with the transaction of the dead letter, not before")
    func givesUp() async throws {
        let transaction = MemoryTransaction()
        try await PartHandler(Work(), parts: parts).giveUp(
            CaptureReceived(captureID: capture.captureID, kind: .photo), reason: .depthUnreadable, on: transaction)
        #expect(parts.announced.isEmpty)
        transaction.commit()
        #expect(parts.announced == [.failed(capture.captureID, reason: .depthUnreadable)])
        #expect(parts.failure(capture.captureID) == .depthUnreadable)
    }
}
