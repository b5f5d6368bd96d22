import Foundation

/// What the kernel says of a process in `/proc/PID/stat` (proc(5)).
struct ProcessStatus: Equatable {
    /// When it started, in clock ticks after the boot.
    let startTicks: Double
    let virtualBytes: Double
    let residentPages: Double

    /// `nil` unless the text is such a line.
    init?(stat: String) {
        // The second field is the program's name in parentheses, which may hold spaces and parentheses itself.
        guard let end = stat.utf8.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        // The first of these is field 3.
        guard fields.count > 21, let start = UInt64(fields[19]), let size = UInt64(fields[20]), let pages = UInt64(fields[21]) else {
            return nil
        }
        startTicks = Double(start)
        virtualBytes = Double(size)
        residentPages = Double(pages)
    }

    /// Seconds since 1970.
    func startTime(bootTime: Double?, ticksPerSecond: Int) -> Double? {
        guard let bootTime, ticksPerSecond > 0 else { return nil }
        return bootTime + startTicks / Double(ticksPerSecond)
    }

    /// The time of the boot in `/proc/stat`, in seconds since 1970.
    static func bootTime(stat: String) -> Double? {
        stat.split(separator: "\n").lazy.compactMap { line in
            let words = line.split(separator: " ")
            return words.count == 2 && words[0] == "btime" ? UInt64(words[1]).map { Double($0) } : nil
        }.first
    }

    /// The status of this process; `nil` where there is no `/proc`.
    static var current: ProcessStatus? { read("/proc/self/stat").flatMap(ProcessStatus.init(stat:)) }
    static var bootTime: Double? { read("/proc/stat").flatMap(bootTime(stat:)) }

    private static func read(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
}
