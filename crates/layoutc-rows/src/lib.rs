//! Single accesses as a table: Nakai and Ohno's Figure 7 as Parquet.

use layoutc_runtime::profile::Row;
use parquet::basic::Compression;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::NamedTempFile;

/// The columns of the paper's Table 1 and Figure 7. A loop that is none is null.
const SCHEMA: &str = "
message rows {
  required int64 uniqueID (INTEGER(64,false));
  required binary instName (STRING);
  required int32 instID (INTEGER(32,false));
  required int64 warpID (INTEGER(64,false));
  required int64 threadID (INTEGER(64,false));
  required int64 addr (INTEGER(64,false));
  required int32 kernelID (INTEGER(32,false));
  optional int32 loopID (INTEGER(32,false));
}";

/// Rows that are written together; so many are kept in memory.
const GROUP: usize = 1 << 18;

/// A table that is being written.
pub struct Rows {
    path: PathBuf,
    writer: SerializedFileWriter<NamedTempFile>,
    names: Vec<ByteArray>,
    waiting: Vec<Row>,
    written: u64,
    most: u64,
    left_out: u64,
}

impl Rows {
    /// Begins a table of at most so many rows beside its path; [`Rows::finish`] puts it there. An instruction is told by
    /// its name in `names`.
    ///
    /// # Errors
    /// A sentence.
    pub fn create<'a>(
        path: &Path,
        names: impl Iterator<Item = &'a str>,
        most: u64,
    ) -> Result<Rows, String> {
        let failed = |cause: String| format!("cannot write {}: {cause}", path.display());
        let schema = parse_message_type(SCHEMA).map_err(|error| failed(error.to_string()))?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by("layoutc".to_owned())
            .build();
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let file = tempfile::Builder::new()
            .prefix(".layoutc-")
            .tempfile_in(folder)
            .map_err(|error| failed(error.kind().to_string()))?;
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))
            .map_err(|error| failed(error.to_string()))?;
        let names = names.map(ByteArray::from).collect();
        let path = path.to_path_buf();
        Ok(Rows { path, writer, names, waiting: Vec::new(), written: 0, most, left_out: 0 })
    }

    /// Adds a row, or leaves it out if there are as many as wanted.
    ///
    /// # Errors
    /// Those of the file.
    pub fn push(&mut self, row: Row) -> io::Result<()> {
        if self.written + self.waiting.len() as u64 >= self.most {
            self.left_out += 1;
            return Ok(());
        }
        self.waiting.push(row);
        match self.waiting.len() >= GROUP {
            true => self.flush().map_err(io::Error::other),
            false => Ok(()),
        }
    }

    /// Rows that were left out.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Ends the table and puts it in its place; gives the number of rows.
    ///
    /// # Errors
    /// A sentence.
    pub fn finish(mut self) -> Result<u64, String> {
        let path = self.path.clone();
        let failed = |cause: String| format!("cannot write {}: {cause}", path.display());
        self.flush().map_err(|error| failed(error.to_string()))?;
        let written = self.written;
        let file = self.writer.into_inner().map_err(|error| failed(error.to_string()))?;
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
            fs::set_permissions(file.path(), mode).map_err(|error| failed(error.to_string()))?;
        }
        file.persist(&path).map_err(|error| failed(error.error.to_string()))?;
        Ok(written)
    }

    fn flush(&mut self) -> Result<(), ParquetError> {
        let rows = std::mem::take(&mut self.waiting);
        if rows.is_empty() {
            return Ok(());
        }
        let first = self.written;
        let mut group = self.writer.next_row_group()?;
        let mut number = 0;
        while let Some(mut column) = group.next_column()? {
            let wide = |value: &dyn Fn(u64, &Row) -> u64| -> Vec<i64> {
                (first..).zip(&rows).map(|(at, row)| value(at, row) as i64).collect()
            };
            let narrow = |value: &dyn Fn(&Row) -> u32| -> Vec<i32> {
                rows.iter().map(|row| value(row) as i32).collect()
            };
            match (column.untyped(), number) {
                (ColumnWriter::Int64ColumnWriter(own), at) => {
                    let values = match at {
                        0 => wide(&|at, _| at),
                        3 => wide(&|_, row| row.warp),
                        4 => wide(&|_, row| row.warp * 32 + u64::from(row.lane)),
                        _ => wide(&|_, row| row.address),
                    };
                    own.write_batch(&values, None, None)?;
                }
                (ColumnWriter::ByteArrayColumnWriter(own), _) => {
                    let name = |row: &Row| {
                        self.names
                            .get(row.instruction as usize)
                            .cloned()
                            .unwrap_or_else(|| "?".into())
                    };
                    let values: Vec<ByteArray> = rows.iter().map(name).collect();
                    own.write_batch(&values, None, None)?;
                }
                (ColumnWriter::Int32ColumnWriter(own), 7) => {
                    let levels: Vec<i16> =
                        rows.iter().map(|row| i16::from(row.scope.is_some())).collect();
                    let values: Vec<i32> =
                        rows.iter().filter_map(|row| row.scope).map(|scope| scope as i32).collect();
                    own.write_batch(&values, Some(&levels), None)?;
                }
                (ColumnWriter::Int32ColumnWriter(own), at) => {
                    let values = match at {
                        2 => narrow(&|row| row.instruction),
                        _ => narrow(&|row| row.kernel.unwrap_or(u32::MAX)),
                    };
                    own.write_batch(&values, None, None)?;
                }
                _ => return Err(ParquetError::General("a column of no known type".to_owned())),
            }
            column.close()?;
            number += 1;
        }
        group.close()?;
        self.written += rows.len() as u64;
        Ok(())
    }
}
