import Foundation

/// The kernel's statistics of this process, under the names that Prometheus clients use.
enum ProcessMetrics {
    static func exposition() -> String {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return "" }
        let seconds =
            Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
        return MetricFamily.text("process_cpu_seconds_total", .counter, seconds)
            + MetricFamily.text("process_max_resident_memory_bytes", .gauge, Double(usage.ru_maxrss) * 1024)
            + MetricFamily.text("process_resident_memory_bytes", .gauge, statmPages().map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) })
    }

    private static func statmPages() -> Double? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let fields = text.split(separator: " ")
        return fields.count > 1 ? Double(fields[1]) : nil
    }
}
