import CaptureProtocol
import Delivery
import Foundation
import Models
import TestSupport
import Testing

extension SystemTests {
    @Suite("Metrics", .timeLimit(.minutes(4)))
    struct Metrics {
        private static let rules = SharedData.projectRoot.appending(path: "deploy/prometheus/rules.yml")

        @Test("that alarms watch for their first increase are there before it", arguments: ServiceName.allCases)
        func fromTheStart(service: ServiceName) async throws {
            let stack = try LocalStack.required()
            var expected = TopicAccess.reads(service).map { "rial_dead_letters_total{topic=\"\($0)\"} " } + ["rial_outbox_dropped_total "]
            switch service {
            case .gateway:
                // It has no consumer that could give a record up.
                expected = ["recorded", "abandoned", "unknown"].map { "rial_recordings_in_doubt_total{outcome=\"\($0)\"} " }
                expected += ["rial_cleanups_failed_total{task=\"upload segments\"} ", "rial_captures_accepted_total "]
            case .depthAnalyzer:
                expected += ["done", "failed", "timeout", "limit", "crash"].map { "rial_video_decoders_died_total{end=\"\($0)\"} " }
            case .evidenceAssembler:
                expected += FailureReason.allCases.map { "rial_captures_failed_total{reason=\"\($0.rawValue)\"} " }
            case .uploadSync:
                expected.append("rial_captures_announced_again_total ")
                expected += [
                    "finished intake", "abandoned intake", "derived objects", "withdrawn objects", "media of failed captures",
                    "repeated upload",
                ].map { "rial_cleanups_failed_total{task=\"\($0)\"} " }
            case .transparencyLog:
                expected += [
                    "rial_log_mended_total ", "rial_log_unmended_total ", "rial_log_scrubbed_entries_total ",
                    "rial_log_witness_failures_total{",
                ]
            case .attestationVerifier: break
            }
            // Some are set by the first look at what is due.
            try await eventually("all series are there") {
                let lines = try await stack.admin(service.rawValue, "/metrics").text.split(separator: "\n")
                return expected.allSatisfy { start in lines.contains { $0.hasPrefix(start) } }
            }
        }

        @Test("are there for each counter whose increase is an alarm")
        func watched() async throws {
            let stack = try LocalStack.required()
            let rules = try String(contentsOf: Self.rules, encoding: .utf8)
            let watched = Set(rules.matches(of: /increase\((rial_\w+)/).map { String($0.1) })
            #expect(watched.count > 7)
            var shown: Set<String> = []
            for service in ServiceName.allCases {
                let lines = try await stack.admin(service.rawValue, "/metrics").text.split(separator: "\n")
                shown.formUnion(lines.map { String($0.prefix { $0 != "{" && $0 != " " }) })
            }
            #expect(watched.subtracting(shown) == [])
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
