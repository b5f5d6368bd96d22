import CaptureProtocol
import HTTPTypes
import Hummingbird
import Testing
import TransparencyLog

@testable import Gateway

@Suite("Requests for a capture's events")
struct EventsControllerTests {
    private static let first = "192.0.2.1"
    /// Where there is room for one stream, and who asks for a second one.
    private static let full: [(PermitLedger.Limits, String, ErrorCode, String)] = [
        (.init(total: 10, perAddress: 1), first, .rateLimited, "5"),
        (.init(total: 1, perAddress: 10), "192.0.2.2", .serviceUnavailable, "1"),
    ]

    @Test(
        "a stream too many is refused by whose limit it was: the address's, or the gateway's, which is no fault of this address",
        arguments: full)
    func refused(limits: PermitLedger.Limits, address: String, code: ErrorCode, retryAfter: String) async throws {
        let (rig, log, capture) = (MemoryRig(), MemoryLogReading(), CaptureID())
        _ = try await rig.record(capture, by: try await rig.insertDevice())
        var routes = Routes()
        EventsController(
            captures: rig.captures, log: LogStatusReader(log: log, finder: CheckpointFinder(log: log, policy: .empty)),
            waiters: Waiters(), streams: ConcurrencyLimit("streams", limits, metric: "tests"), trustedProxies: []
        ).addRoutes(to: &routes)
        let request = makeRequest(.get, "\(APIPath.captures)/\(capture)/events")
        // As long as it is not read to its end, it has its place.
        let held = try await routes.respond(to: request, makeContext(from: Self.first))
        #expect(held.status == .ok)
        try await routes.respond(to: request, makeContext(from: address)).expectRefusal(code, retryAfter: retryAfter)
        withExtendedLifetime(held) {}
    }
}
