import Foundation
import Testing

@testable import Observability

@Suite("The metrics of the process")
struct ProcessMetricsTests {
    private static let rest = "S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 250 4096 7 18446744073709551615 0"

    private func value(_ name: String) -> Double? {
        ProcessMetrics.exposition().split(separator: "\n").first { $0.hasPrefix("\(name) ") }
            .flatMap { $0.split(separator: " ").last.flatMap { Double($0) } }
    }

    @Test("are those that Prometheus' clients have, of this process")
    func own() throws {
        let start = try #require(value("process_start_time_seconds"))
        let now = Date().timeIntervalSince1970
        // The kernel's clock ticks a hundred times a second, and its time of boot is in whole seconds.
        #expect(start > now - 7200 && start < now + 2)
        #expect(value("process_start_time_seconds") == start)
        let resident = try #require(value("process_resident_memory_bytes"))
        #expect(resident > 1_000_000)
        #expect(try #require(value("process_virtual_memory_bytes")) > resident)
        #expect(try #require(value("process_max_resident_memory_bytes")) >= resident / 2)
        #expect(try #require(value("process_cpu_seconds_total")) > 0)
        #expect(try #require(value("process_open_fds")) < #require(value("process_max_fds")))
    }

    @Test("count open files")
    func files() throws {
        let before = try #require(value("process_open_fds"))
        let handles = try (0..<50).map { _ in try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/null")) }
        #expect(try #require(value("process_open_fds")) >= before + 40)
        for handle in handles { try handle.close() }
    }

    @Test("are read behind the program's name, whatever that is", arguments: ["gateway", "a b", "a) S 9 (b", ") (", "", "é\u{0}"])
    func names(name: String) throws {
        let status = try #require(ProcessStatus(stat: "17 (\(name)) \(Self.rest)\n"))
        #expect(status.startTicks == 250 && status.virtualBytes == 4096 && status.residentPages == 7)
        #expect(status.startTime(bootTime: 1000, ticksPerSecond: 100) == 1002.5)
        #expect(status.startTime(bootTime: 1000, ticksPerSecond: 0) == nil)
    }

    @Test(
        "are left out where the kernel says something else",
        arguments: [
            "", ")", "17 (gateway)", "17 gateway \(rest)", "17 (gateway) S 1 2 3",
            "17 (gateway) \(rest.replacing(" 250 ", with: " -1 "))",
            "17 (gateway) \(rest.replacing(" 250 ", with: " 99999999999999999999 "))",
            "17 (gateway) \(rest.replacing(" 7 1844", with: " x 1844"))",
        ])
    func odd(stat: String) { #expect(ProcessStatus(stat: stat) == nil) }

    @Test("begin with the time of the boot")
    func boot() {
        #expect(ProcessStatus.bootTime(stat: "cpu 1 2\nctxt 5\nbtime 1700000000\nprocesses 3\n") == 1_700_000_000)
        for odd in ["", "btime", "btime x", "btime -5", "btime 1 2", "btimes 4"] {
            #expect(ProcessStatus.bootTime(stat: odd) == nil, "\(odd)")
        }
    }
}
