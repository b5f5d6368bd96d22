import Foundation

/// The kernel's statistics of this process, read at each scrape, under the names that Prometheus clients use. What cannot be read is left
/// out.
enum ProcessMetrics {
    /// Once, so that it stays the same: the kernel derives the time of its boot anew each time from a clock that is adjusted meanwhile.
    private static let startTime = ProcessStatus.current?.startTime(
        bootTime: ProcessStatus.bootTime, ticksPerSecond: sysconf(Int32(_SC_CLK_TCK)))

    static func exposition() -> String {
        let status = ProcessStatus.current
        let usage = ownUsage()
        return MetricFamily.text("process_cpu_seconds_total", .counter, usage.map { $0.ru_utime.seconds + $0.ru_stime.seconds })
            + MetricFamily.text("process_max_fds", .gauge, maximumFiles())
            + MetricFamily.text("process_max_resident_memory_bytes", .gauge, usage.map { Double($0.ru_maxrss) * 1024 })
            + MetricFamily.text("process_open_fds", .gauge, openFiles())
            + MetricFamily.text(
                "process_resident_memory_bytes", .gauge, status.map { $0.residentPages * Double(sysconf(Int32(_SC_PAGESIZE))) })
            + MetricFamily.text("process_start_time_seconds", .gauge, startTime)
            + MetricFamily.text("process_virtual_memory_bytes", .gauge, status?.virtualBytes)
    }

    private static func ownUsage() -> rusage? {
        var usage = rusage()
        return getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 ? usage : nil
    }

    /// Without the one that lists them.
    private static func openFiles() -> Double? {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { Double(max(0, $0.count - 1)) }
    }

    private static func maximumFiles() -> Double? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return limit.rlim_cur == .max ? .infinity : Double(limit.rlim_cur)
    }
}

extension timeval {
    fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1e6 }
}
