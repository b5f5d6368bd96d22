import CaptureKit
import Synchronization

/// Files in memory that stop after a given number of operations, and then forget what a power cut would lose: content that was not synced,
/// and names (creations, links, renames, removals) whose folder was not synced.
///
/// For each n: `stop(after: n)`, work, `restart(…)`, look. Paths need not exist anywhere else.
final class PowerCutFiles: FileLayer {
    /// What is gone after a restart.
    enum Loss: CaseIterable {
        /// The process was killed; the system went on.
        case nothing
        /// The power failed: only what was synced is left.
        case everythingUnsynced
        /// The power failed after the system had written names, but not content, of its own accord.
        case unsyncedContent
    }

    private struct Content {
        var current: [UInt8] = []
        var durable: [UInt8] = []
    }

    private struct State {
        /// By the file's number; a file may have several names or none.
        var contents: [Int: Content] = [:]
        var names: [String: Int] = [:]
        var durableNames: [String: Int] = [:]
        var folders: Set<String>
        var durableFolders: Set<String>
        /// How often it was started; files that were opened before are dead.
        var run = 0
        var operations = 0
        var operationsLeft: Int?
    }

    private let state: Mutex<State>
    private let onChange: @Sendable () -> Void

    /// - Parameters:
    ///   - folder: an absolute path of a folder that exists, durably.
    ///   - onChange: called after each operation that changed something or synced it.
    init(folder: String, onChange: @escaping @Sendable () -> Void = {}) {
        state = Mutex(State(folders: [folder], durableFolders: [folder]))
        self.onChange = onChange
    }

    private init(_ state: State) {
        self.state = Mutex(state)
        onChange = {}
    }

    /// Files of their own, as these would be after a restart now.
    func survivors(of loss: Loss) -> PowerCutFiles {
        let files = PowerCutFiles(state.withLock { $0 })
        files.restart(loss)
        return files
    }

    /// Whether the other has the same names with the same content.
    func isEqual(to other: PowerCutFiles) -> Bool {
        let (folders, files) = everything
        let (otherFolders, otherFiles) = other.everything
        return folders == otherFolders && files == otherFiles
    }

    private var everything: (folders: Set<String>, files: [String: [UInt8]]) {
        state.withLock { state in (state.folders, state.names.mapValues { state.contents[$0]?.current ?? [] }) }
    }

    /// The number of operations so far that changed something or synced it.
    var operations: Int { state.withLock { $0.operations } }

    /// Stops after so many further operations: later ones, and all reading then, fail.
    func stop(after operations: Int) { state.withLock { $0.operationsLeft = operations } }

    /// Goes on as a new process, without what was lost.
    func restart(_ loss: Loss) {
        state.withLock { state in
            state.run += 1
            state.operationsLeft = nil
            if loss == .nothing { return }
            state.contents = state.contents.mapValues { Content(current: $0.durable, durable: $0.durable) }
            if loss == .unsyncedContent { return }
            state.folders = state.durableFolders
            state.names = state.durableNames.filter { state.folders.contains(parent(of: $0.key)) }
        }
    }

    /// The content of a file as it is now; `nil` if there is none.
    func bytes(of path: String) -> [UInt8]? {
        state.withLock { state in state.names[path].flatMap { state.contents[$0]?.current } }
    }

    /// Gives a file other content behind the back of whoever uses it, or creates it.
    func put(_ bytes: [UInt8], at path: String) {
        state.withLock { state in
            let number = state.contents.count
            state.contents[number] = Content(current: bytes, durable: bytes)
            state.names[path] = number
            state.durableNames[path] = number
        }
    }

    func createFolder(_ path: String) throws(FileError) {
        try change { (state) throws(FileError) in
            guard state.folders.contains(parent(of: path)) else { throw .missing }
            state.folders.insert(path)
        }
    }

    func create(_ path: String) throws(FileError) -> any WritableFile {
        try change { (state) throws(FileError) in
            guard state.folders.contains(parent(of: path)) else { throw .missing }
            guard state.names[path] == nil else { throw .failed(code: 17) }
            let number = state.contents.count
            state.contents[number] = Content()
            state.names[path] = number
            return File(layer: self, number: number, run: state.run)
        }
    }

    func open(_ path: String) throws(FileError) -> any ReadableFile {
        try look { (state) throws(FileError) in
            guard let number = state.names[path] else { throw .missing }
            return File(layer: self, number: number, run: state.run)
        }
    }

    func rename(_ path: String, to target: String) throws(FileError) {
        try change { (state) throws(FileError) in
            guard let number = state.names.removeValue(forKey: path) else { throw .missing }
            state.names[target] = number
        }
    }

    func link(_ path: String, to target: String) throws(FileError) -> Bool {
        try change { (state) throws(FileError) in
            guard let number = state.names[path] else { throw .missing }
            guard state.names[target] == nil else { return false }
            state.names[target] = number
            return true
        }
    }

    func remove(_ path: String) throws(FileError) {
        try change { (state) throws(FileError) in state.names[path] = nil }
    }

    func names(in folder: String) throws(FileError) -> [String] {
        try look { (state) throws(FileError) in
            guard state.folders.contains(folder) else { throw .missing }
            return (Array(state.names.keys) + state.folders).filter { parent(of: $0) == folder }.map {
                String($0.dropFirst(folder.count + 1))
            }
        }
    }

    func syncFolder(_ path: String) throws(FileError) {
        try change { (state) throws(FileError) in
            guard state.folders.contains(path) else { throw .missing }
            state.durableNames = state.durableNames.filter { parent(of: $0.key) != path }
            for (name, number) in state.names where parent(of: name) == path { state.durableNames[name] = number }
            state.durableFolders.formUnion(state.folders.filter { parent(of: $0) == path })
        }
    }

    /// - Throws: errno 5, an input or output error, once everything has stopped.
    private func look<Result>(_ work: (inout State) throws(FileError) -> Result) throws(FileError) -> Result {
        try state.withLock { (state) throws(FileError) in
            guard state.operationsLeft != 0 else { throw .failed(code: 5) }
            return try work(&state)
        }
    }

    private func change<Result>(_ work: (inout State) throws(FileError) -> Result) throws(FileError) -> Result {
        let result = try look { (state) throws(FileError) in
            state.operations += 1
            state.operationsLeft? -= 1
            return try work(&state)
        }
        onChange()
        return result
    }

    private final class File: WritableFile, ReadableFile {
        private let layer: PowerCutFiles
        private let number: Int
        private let run: Int

        init(layer: PowerCutFiles, number: Int, run: Int) {
            self.layer = layer
            self.number = number
            self.run = run
        }

        func write(_ bytes: [UInt8]) throws(FileError) {
            try layer.change { (state) throws(FileError) in
                try alive(state)
                state.contents[number]?.current += bytes
            }
        }

        func sync() throws(FileError) {
            try layer.change { (state) throws(FileError) in
                try alive(state)
                let current = state.contents[number]?.current ?? []
                state.contents[number]?.durable = current
            }
        }

        var sizeBytes: Int64 { get throws(FileError) { Int64(try content().count) } }

        func read(_ count: Int, at offset: Int64) throws(FileError) -> [UInt8] { Array(try content().dropFirst(Int(offset)).prefix(count)) }

        private func content() throws(FileError) -> [UInt8] {
            try layer.look { (state) throws(FileError) in
                try alive(state)
                return state.contents[number]?.current ?? []
            }
        }

        private func alive(_ state: State) throws(FileError) {
            guard state.run == run else { throw .failed(code: 9) }
        }
    }
}

private func parent(of path: String) -> String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }
