import CaptureKit
import Foundation
import Testing

@Suite("Clock pairing")
struct FrameClockTests {
    private let clock = ClockPairing(uptime: 5000, date: Date(timeIntervalSince1970: 1_790_000_000))

    @Test("turns the camera's seconds into the time of day", arguments: [(5000, 0), (4999.75, -0.25), (5001.5, 1.5), (0, -5000)])
    func date(uptime: Double, difference: Double) {
        #expect(clock.date(atUptime: uptime) == clock.date.addingTimeInterval(difference))
        let frame = CapturedFrame(jpeg: [], depth: nil, uptime: uptime, clock: clock, orientation: .up)
        #expect(frame.capturedAt == clock.date.addingTimeInterval(difference))
    }

    @Test("takes seconds that are no number for now, and stays between 1970 and 9999")
    func odd() {
        for uptime in [Double.nan, .infinity, -.infinity] { #expect(clock.date(atUptime: uptime) == clock.date) }
        #expect(clock.date(atUptime: -1e300) == Date(timeIntervalSince1970: 0))
        #expect(clock.date(atUptime: 1e300) == Date(timeIntervalSince1970: 253_402_300_799))
    }

    @Test("reads both clocks at one moment")
    func now() {
        let before = Date()
        let clock = ClockPairing.now()
        let after = Date()
        #expect((before...after).contains(clock.date))
        #expect(clock.uptime > 0 && clock.uptime <= ProcessInfo.processInfo.systemUptime)
    }
}
