/// Where a sealed file is written, and where it goes once it is complete.
struct SealedFilePlace {
    let folder: String
    let temporaryName: String
    let finalName: String
    let files: any FileLayer
    let failPoints: FailPoints

    func create() throws(FileError) -> any WritableFile { try files.create(folder + "/" + temporaryName) }

    /// Gives the complete file its final name: what is under that name is whole whenever the power fails.
    func publish(_ file: any WritableFile) throws(FileError) {
        failPoints.reached("seal.written")
        try file.sync()
        failPoints.reached("seal.synced")
        try files.rename(folder + "/" + temporaryName, to: folder + "/" + finalName)
        failPoints.reached("seal.renamed")
        try files.syncFolder(folder)
        failPoints.reached("seal.folder-synced")
    }

    func discard() { try? files.remove(folder + "/" + temporaryName) }
}
