import CaptureProtocol
import Foundation
import Models
import Site
import Testing
import TransparencyLog

@testable import Gateway

@Suite("Where captures stand in the log")
struct LogStatusTests {
    private let capture: StatedCaptureFixture

    init() throws { capture = try StatedCaptureFixture() }

    @Test("nothing is said of captures that are not complete", arguments: [CaptureStatus.processing, .failed])
    func incomplete(status: CaptureStatus) async throws {
        let log = try LogFixture()
        #expect(try await self.status(log, status) == nil)
    }

    @Test("on its way it is pending, whether it is stated or not, and with a log that stands still unavailable")
    func pending() async throws {
        var log = try LogFixture()
        log.fill(to: 1)
        try await log.publish()
        #expect(try await status(log) == LogStatus(status: .pending))
        log.add(try capture.assessment())
        #expect(try await status(log) == LogStatus(status: .pending, standing: .stands))
        log.freeze()
        #expect(try await status(log) == LogStatus(status: .unavailable, standing: .stands, isSettled: true))
    }

    @Test("one that is held back until its day has ended is pending, and waiting a minute is no use")
    func held() async throws {
        var log = try LogFixture()
        log.add(try capture.assessment(notBefore: now.addingTimeInterval(1)), isEntered: false)
        #expect(try await status(log) == LogStatus(status: .pending, standing: .stands, isSettled: true))
    }

    @Test("published it is logged, and with a quorum witnessed by the time of the last witness that it took")
    func witnessed() async throws {
        var log = try LogFixture()
        log.fill(to: 1)
        log.add(try capture.assessment())
        try await log.publish()
        try log.cosign(by: [2])
        let logged = LogStatus(status: .logged, origin: log.origin.text, index: 1, treeSize: 2, standing: .stands)
        #expect(try await status(log) == logged)
        #expect(RecordLog(logged, earlier: []).state == .logged, "its witnesses have yet to see it")
        log.fill(to: 4)
        try await log.publish()
        try log.cosign(by: [2, 0])
        let found = try #require(try await status(log))
        #expect(found.status == .witnessed && found.index == 1 && found.treeSize == 4 && found.isSettled)
        #expect(found.witnessedAt == Date(timeIntervalSince1970: TimeInterval(LogFixture.time + 3)))
        #expect(found.witnesses.map(\.name) == ["witness.test/1", "witness.test/3"])
    }

    @Test("what witnesses saw only before the time that it states is logged, until they see it again")
    func ahead() async throws {
        var log = try LogFixture()
        log.add(try capture.assessment(later: 3600))
        try await log.publish()
        try log.cosign(by: [0, 1])
        let early = try #require(try await status(log))
        #expect(early.status == .logged && !early.isSettled && early.witnessedAt == nil)
        try log.renew(by: [0, 1], later: 3600)
        let found = try #require(try await status(log))
        #expect(found.status == .witnessed && found.isSettled)
        #expect(found.witnessedAt == Date(timeIntervalSince1970: TimeInterval(LogFixture.time + 2 + 3600)))
    }

    @Test("where the policy asks for no witness, published is all there will be")
    func noWitness() async throws {
        var log = try LogFixture()
        log.fill(to: 1)
        log.add(try capture.assessment())
        try await log.publish()
        try log.cosign(by: [])
        let finder = CheckpointFinder(log: log.reading, policy: .empty)
        let reader = LogStatusReader(log: log.reading, finder: finder)
        let found = try #require(try await reader.status(of: capture.capture, .complete, at: now))
        #expect(found.status == .logged && found.isSettled && found.witnessedAt == nil)
        #expect(RecordLog(found, earlier: []).state == .alone, "no witness is waited for")
    }

    @Test("a verdict that was taken back says so")
    func revoked() async throws {
        var log = try LogFixture()
        let first = try capture.assessment()
        log.add(first)
        log.add(try capture.revocation(after: first))
        try await log.publish()
        #expect(try await status(log)?.standing == .revoked)
    }

    @Test("a verdict that another by other methods has followed is an earlier one, the same said again is not")
    func earlier() async throws {
        var log = try LogFixture()
        let first = try capture.assessment()
        log.add(first)
        let same = try #require(first.statement.verdict?.algorithms["depth"])
        log.add(try capture.reassessment(after: first, .high, depth: same, sequence: 1))
        let reader = { LogStatusReader(log: $0.reading, finder: $0.finder) } as (LogFixture) -> LogStatusReader
        #expect(try await reader(log).earlierVerdicts(on: capture.capture).isEmpty)
        log.add(try capture.reassessment(after: first, .low, depth: "relief-9", sequence: 2))
        log.add(try capture.reassessment(after: first, .medium, depth: "relief-9", sequence: 3))
        let earlier = try await reader(log).earlierVerdicts(on: capture.capture)
        #expect(earlier.map(\.confidence) == [.high, .low])
        #expect(earlier.map { $0.methods["depth"] } == [same, "relief-9"])
        #expect(earlier.map(\.at) == [1, 2].map { .exact(Date(timeIntervalSince1970: TimeInterval(LogFixture.time + $0))) })
    }

    private func status(_ log: LogFixture, _ status: CaptureStatus = .complete) async throws -> LogStatus? {
        try await LogStatusReader(log: log.reading, finder: log.finder).status(of: capture.capture, status, at: now)
    }
}
