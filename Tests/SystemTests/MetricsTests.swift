import CaptureProtocol
import Delivery
import Foundation
import Models
import Testing

extension SystemTests {
    @Suite("Metrics", .timeLimit(.minutes(1)))
    struct Metrics {
        @Test("that alarms watch for their first increase are there before it", arguments: ServiceName.allCases.filter { $0 != .gateway })
        func fromTheStart(service: ServiceName) async throws {
            let stack = try LocalStack.required()
            var expected = TopicAccess.reads(service).map { "rial_dead_letters_total{topic=\"\($0)\"} " } + ["rial_outbox_dropped_total "]
            switch service {
            case .evidenceAssembler:
                expected += FailureReason.allCases.map { "rial_captures_failed_total{reason=\"\($0.rawValue)\"} " }
            case .uploadSync: expected.append("rial_captures_announced_again_total ")
            case .transparencyLog:
                expected += ["rial_log_mended_total ", "rial_log_scrubbed_entries_total ", "rial_log_witness_failures_total{"]
            case .gateway, .attestationVerifier, .depthAnalyzer: break
            }
            // Some are set by the first look at what is due.
            try await eventually("all series are there") {
                let lines = try await stack.admin(service.rawValue, "/metrics").text.split(separator: "\n")
                return expected.allSatisfy { start in lines.contains { $0.hasPrefix(start) } }
            }
        }

        @Test("say how many more connections PostgreSQL accepts", arguments: ServiceName.allCases)
        func connections(service: ServiceName) async throws {
            let stack = try LocalStack.required()
            let maximum = try #require(Int(try await stack.sql("SHOW max_connections").first ?? ""))
            let name = "rial_database_connections_free "
            var free: Int?
            try await eventually("it was measured") {
                let lines = try await stack.admin(service.rawValue, "/metrics").text.split(separator: "\n")
                free = lines.first { $0.hasPrefix(name) }.flatMap { Int($0.dropFirst(name.count)) }
                return free != nil
            }
            #expect((1..<maximum).contains(try #require(free)))
        }

        @Test("say what they measure, and which build and process they are of", arguments: ServiceName.allCases)
        func described(service: ServiceName) async throws {
            let lines = try await LocalStack.required().admin(service.rawValue, "/metrics").text.split(separator: "\n")
            let typed = lines.filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
            let described = lines.filter { $0.hasPrefix("# HELP ") }.map { $0.split(separator: " ")[2] }
            #expect(typed.count > 10 && described == typed)
            #expect(lines.contains("rial_build_info{version=\"\(Product.version)\",revision=\"\"} 1"))
            for name in ["start_time_seconds", "cpu_seconds_total", "resident_memory_bytes", "virtual_memory_bytes", "open_fds", "max_fds"]
            {
                let line = try #require(lines.first { $0.hasPrefix("process_\(name) ") }, "process_\(name)")
                #expect(line.split(separator: " ").last.flatMap { Double($0) }.map { $0 > 0 } == true)
            }
        }
    }
}
